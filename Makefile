# SPDX-License-Identifier: GPL-2.0
#
# On a host
#   make                   modules for the running kernel (or KVER=release), in build/KVER
#   make deb               Debian packages, in build/deb
#   make install | uninstall | dkms-install | dkms-uninstall      without packages
#   make install-drivers   without the core, over the distribution's own
#   make install-utils     ofedctrl, ofed-fabric and what belongs to them
# Tests (CONTRIBUTING.md), in guests of QEMU
#   make demo              what this is, in two minutes
#   make check | soak      all lanes, with few counts or all of them
#   make kunit             unit tests alone
#   make vm KERNEL=6.1 SUITES=load,sysfs      suites by name
#   make check-install     the packages in a Debian that boots
#   make kernels           what tests need, ahead of them
#   make modules K=6.1     modules for a test kernel: 6.1, 6.12, 6.12-bpo, 7.2, 7.3, debug, um, um-debug
#   make obj K=6.1 FILE=hw/roce/main.c          one file with every warning on
#   make fuzz MINUTES=10 DRIVER=roce            inputs that reach new blocks (tests/fuzz)
#   make bench | insns     how fast; how many instructions a message takes
# Else
#   make clean | help

CACHE	:= $(or $(OFED_CACHE),/var/cache/ofed)
KVER	?= $(shell uname -r)
# Short names of test kernels are resolved by the list that prepare.sh keeps.
K	?=
ifneq ($(K),)
KDIR	:= $(shell awk '$$1 == "$(K)" { print $$5 }' $(CACHE)/kernels 2>/dev/null)
# The root of its release's programs, where the host's compiler is not the one of the headers.
# For arm64 it is that of the release that is of this architecture.
ROOT	:= $(wildcard $(patsubst %-arm64,%,$(filter-out /,$(shell awk '$$1 == "$(K)" { print $$6 }' $(CACHE)/kernels 2>/dev/null))))
CROSS	:= $(if $(findstring -arm64,$(K)),aarch64-linux-gnu-)
# COVER=1: modules that tell which of their blocks run, for 'make fuzz'; a build of their own.
TREE	:= $(K)$(if $(COVER),-cover)
B	:= $(shell OFED_CACHE='$(CACHE)' tests/vm/builddir)/$(TREE)
else
KDIR	?= /lib/modules/$(KVER)/build
B	:= $(CURDIR)/build/$(KVER)
endif

# Without it what follows makes the folder anew.
ifneq ($(shell test -L build && ! test -e build && echo gone),)
$(shell rm -f build)
endif

# What modules are made of; the copy that dkms keeps has no tests.
SOURCES	:= Kbuild core uverbs ucma umad ucm hw include tools
TESTS	:= $(wildcard tests/modules tests/kunit tests/sparse-once)
ifneq ($(COVER),)
TESTS	:= tests/modules tests/kunit/lib tests/fuzz/cover tests/sparse-once
endif
AT	= $(B)
# Where this host has them.
HEADERS	= $(ROOT)$(KDIR)
KARGS	= --no-print-directory -C $(KDIR) M=$(AT) \
	genksyms='$(AT)/tools/genksyms-adopt $(KDIR)' \
	gendwarfksyms='$(AT)/tools/gendwarfksyms-adopt $(KDIR)'
# A kernel that is a process of the host.
ifneq ($(filter um%,$(K)),)
KARGS	+= ARCH=um
endif
# The watched kernels have the handlers; what they watch is ours alone.
ifneq ($(filter debug um-debug,$(K)),)
WATCHED	:= -fsanitize=shift,bounds,bool,enum,integer-divide-by-zero
endif
# A test loads a module many times, and each time the kernel reads all of the file, of which
# DWARF would be nine tenths. BTF is made of that.
ifneq ($(K),)
KARGS	+= KCFLAGS='$(if $(COVER),-g1,-g0) $(WATCHED)' CONFIG_DEBUG_INFO_BTF_MODULES= W=1
KARGS	+= $(if $(COVER),OFED_COVER=y)
endif

# What any clone compiled for a test kernel ccache finds again, as they all build at one
# place: a link to the clone that has the lock.
KMAKE	= $(if $(ROOT),tests/vm/inside $(ROOT)) $(MAKE) $(KARGS) $(KFLAGS) $(1)
BUILD	= $(KMAKE)
ifneq ($(and $(K),$(shell test -w $(CACHE) && command -v ccache)),)
AT	= $(CACHE)/place/$(TREE)
KARGS	+= CHECK='$(AT)/tests/sparse-once' \
	$(if $(filter 6.% 7.%,$(K)),DEBIAN_KERNEL_USE_CCACHE=1,CC='ccache $(CROSS)gcc')
BUILD	= mkdir -p $(CACHE)/place && { flock 9 && ln -sfn $(B) $(AT) && $(KMAKE); } 9>$(AT).lock
export CCACHE_DIR := $(CACHE)/ccache
# kbuild lists the headers of each file, so they are not found by preprocessing.
export CCACHE_DEPEND := 1
endif

FIT	= tools/fit "$$(cat '$(HEADERS)/include/config/kernel.release')" '$(HEADERS)'

all: modules

# kbuild puts objects beside the sources; a copy per kernel keeps them apart. What has
# changed has the time of the copy: it may be older than objects that a build made meanwhile.
copy:
	@case '$(B)' in *[[:space:]:]*) \
		echo "kbuild knows no path with a space or a colon: '$(CURDIR)' has to be elsewhere" >&2; exit 1;; esac
	@test -e "$(HEADERS)/Makefile" || { \
		echo "no kernel headers in '$(KDIR)': install linux-headers, or run tests/vm/prepare.sh for K=$(K)"; exit 1; }
	@$(FIT) $(wildcard tools/dkms/*.conf)
	@mkdir -p $(B)
	@rsync -rlpR --checksum --delete --exclude='*.o' --exclude='*.ko' --exclude='*.mod*' \
		--exclude='.*.cmd' --exclude=modules.order --exclude=Module.symvers \
		$(SOURCES) $(TESTS) $(B)/

# The style lane runs kernel-doc, once.
modules: copy
	@+$(call BUILD,modules $(if $(K),cmd_checkdoc=:))

# What dkms does with its own copy, one for each kernel. ALONE: arguments of tools/alone.
here:
	@$(if $(ALONE),tools/alone $(ALONE) &&) $(FIT) dkms.conf
	@$(MAKE) --no-print-directory -C $(KDIR) M=$(CURDIR) \
		genksyms='$(CURDIR)/tools/genksyms-adopt $(KDIR)' \
		gendwarfksyms='$(CURDIR)/tools/gendwarfksyms-adopt $(KDIR)' modules

obj: copy
	@+$(call BUILD,W=1 C=2 CF=-D__CHECK_ENDIAN__ $(FILE:.c=.o))

clean:
	rm -rf "$$(readlink -f build)" build

help:
	@sed -n '3,/^$$/s/^# \{0,1\}//p' Makefile

# The one place of the version is include/ofed/version.h.
VERSION	:= $(shell tools/version)

# The copy that dkms keeps has neither.
-include tools/install.mk tests/Makefile.inc

.PHONY: all copy modules here obj clean help
