# SPDX-License-Identifier: GPL-2.0
#
#   make                   modules for the running kernel (or KVER=release)
#   make modules K=6.1     the same for a test kernel: 6.1, 6.12 or debug
#   make obj K=6.1 FILE=core/gid.c   one file with every warning on
#   make check | demo | soak         see README.md

CACHE	:= $(or $(OFED_CACHE),/var/cache/ofed)
KVER	?= $(shell uname -r)
# Short names of test kernels are resolved by the list that prepare.sh keeps.
K	?=
ifneq ($(K),)
KDIR	:= $(shell awk '$$1 == "$(K)" { print $$5 }' $(CACHE)/kernels 2>/dev/null)
B	:= $(CURDIR)/build/$(K)
else
KDIR	?= /lib/modules/$(KVER)/build
B	:= $(CURDIR)/build/$(KVER)
endif

SOURCES	:= Kbuild core uverbs include tests/modules tests/kunit tools
GENKSYMS := $(B)/tools/genksyms-adopt
KMAKE	= $(MAKE) --no-print-directory -C $(KDIR) M=$(B) \
	genksyms='$(B)/tools/genksyms-adopt $(KDIR)' $(KFLAGS)

all: modules

# kbuild puts objects beside the sources; a copy per kernel keeps them apart.
copy:
	@test -e "$(KDIR)/Makefile" || { \
		echo "no kernel headers in '$(KDIR)': install linux-headers, or run tests/vm/prepare.sh for K=$(K)"; exit 1; }
	@mkdir -p $(B)
	@rsync -aR --delete --exclude='*.o' --exclude='*.ko' --exclude='*.mod*' \
		--exclude='.*.cmd' --exclude=modules.order --exclude=Module.symvers \
		$(SOURCES) $(B)/

modules: copy
	@$(KMAKE) modules

obj: copy
	@$(KMAKE) W=1 C=2 CF=-D__CHECK_ENDIAN__ $(FILE:.c=.o)

clean:
	rm -rf build

.PHONY: all copy modules obj clean
