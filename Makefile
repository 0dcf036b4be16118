# SPDX-License-Identifier: GPL-2.0
#
#   make                   modules for the running kernel (or KVER=release)
#   make modules K=6.1     the same for a test kernel: 6.1, 6.12 or debug
#   make obj K=6.1 FILE=core/gid.c   one file with every warning on
#   make install | dkms-install      on a real host; install-drivers: without
#                                    the core, over the distribution's own
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

# What modules are made of; the copy that dkms keeps has no tests.
SOURCES	:= Kbuild core uverbs ucma hw include tools
TESTS	:= $(wildcard tests/modules tests/kunit)
GENKSYMS := $(B)/tools/genksyms-adopt
KARGS	= --no-print-directory -C $(KDIR) M=$(B) \
	genksyms='$(B)/tools/genksyms-adopt $(KDIR)' $(KFLAGS)

all: modules

# kbuild puts objects beside the sources; a copy per kernel keeps them apart.
copy:
	@test -e "$(KDIR)/Makefile" || { \
		echo "no kernel headers in '$(KDIR)': install linux-headers, or run tests/vm/prepare.sh for K=$(K)"; exit 1; }
	@mkdir -p $(B)
	@rsync -aR --delete --exclude='*.o' --exclude='*.ko' --exclude='*.mod*' \
		--exclude='.*.cmd' --exclude=modules.order --exclude=Module.symvers \
		$(SOURCES) $(TESTS) $(B)/

modules: copy
	@$(MAKE) $(KARGS) modules

obj: copy
	@$(MAKE) $(KARGS) W=1 C=2 CF=-D__CHECK_ENDIAN__ $(FILE:.c=.o)

clean:
	rm -rf build

.PHONY: all copy modules obj clean

# The whole gate; SCALE=1 is 'make soak'.
check:
	@tests/check.sh

soak:
	@SCALE=1 tests/check.sh

# One boot of one kernel: make vm KERNEL=6.1 SUITES=load,sysfs CORE=stock
# or, on our own device: make vm KERNEL=6.12 SUITES=pingpong DRIVER=roce
KERNEL	?= 6.1
SUITES	?= load
CORE	?= ofed
DRIVER	?= rxe
vm: kernels
	@$(MAKE) -s modules K=$(KERNEL)
	@tests/vm/run $(KERNEL) $(SUITES) CORE=$(CORE) DRIVER=$(DRIVER)

kunit: debug-kernel
	@$(MAKE) -s modules K=debug
	@tests/vm/run debug kunit

kernels:
	@tests/vm/prepare.sh

debug-kernel:
	@tests/vm/prepare.sh debug

.PHONY: check soak vm kunit kernels debug-kernel

# On a real host: into updates/, where depmod prefers them to the stock ones.
DESTDIR	?=
MODDIR	= $(DESTDIR)/lib/modules/$(KVER)/updates/ofed
DEPMOD	= depmod $(if $(DESTDIR),-b $(DESTDIR)) $(KVER)
install: modules
	install -d $(MODDIR) $(DESTDIR)/lib/modprobe.d
	install -m 644 $(B)/core/*.ko $(B)/uverbs/*.ko $(B)/ucma/*.ko $(B)/hw/*.ko \
		$(MODDIR)/
	install -m 644 tools/modprobe.d/ofed.conf $(DESTDIR)/lib/modprobe.d/ofed.conf
	$(DEPMOD)

# What an earlier 'make install' left of the core would be preferred.
install-drivers: modules
	rm -rf $(MODDIR) $(DESTDIR)/lib/modprobe.d/ofed.conf
	install -d $(MODDIR)
	install -m 644 $(B)/hw/*.ko $(MODDIR)/
	$(DEPMOD)

uninstall:
	rm -rf $(MODDIR) $(DESTDIR)/lib/modprobe.d/ofed.conf
	$(DEPMOD)

# The same by dkms, which builds again for each new kernel. With DESTDIR, all of
# it goes below that folder.
VERSION	:= $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"$$/\1/p' dkms.conf)
DKMSSRC	= $(DESTDIR)/usr/src/ofed-$(VERSION)
DKMSTREES = $(if $(DESTDIR),--sourcetree $(DESTDIR)/usr/src \
	--dkmstree $(DESTDIR)/var/lib/dkms --installtree $(DESTDIR)/lib/modules)
# Its own depmod would work on the host's modules in that case.
DKMSINSTALL = $(DKMSTREES) $(if $(DESTDIR),--no-depmod)
DKMSBUILD = -k $(KVER) --kernelsourcedir $(KDIR)
dkms-install:
	@command -v dkms >/dev/null || { echo "no dkms: apt install dkms"; exit 1; }
	install -d $(DKMSSRC) $(DESTDIR)/lib/modprobe.d
	$(if $(DESTDIR),install -d $(DESTDIR)/var/lib/dkms $(DESTDIR)/lib/modules/$(KVER))
	rsync -aR --delete Makefile dkms.conf $(SOURCES) $(DKMSSRC)/
	-dkms remove ofed/$(VERSION) --all $(DKMSINSTALL) >/dev/null 2>&1
	dkms add ofed/$(VERSION) $(DKMSTREES)
	dkms build ofed/$(VERSION) $(DKMSBUILD) $(DKMSTREES)
	dkms install ofed/$(VERSION) $(DKMSBUILD) $(DKMSINSTALL)
	$(if $(DESTDIR),$(DEPMOD))
	install -m 644 tools/modprobe.d/ofed.conf $(DESTDIR)/lib/modprobe.d/ofed.conf

dkms-uninstall:
	dkms remove ofed/$(VERSION) --all $(DKMSINSTALL)
	rm -rf $(DKMSSRC) $(DESTDIR)/lib/modprobe.d/ofed.conf

demo: kernels
	@$(MAKE) -s modules K=6.1
	@tests/vm/run 6.1 demo

.PHONY: install install-drivers uninstall dkms-install dkms-uninstall demo
