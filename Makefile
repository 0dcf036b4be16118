# SPDX-License-Identifier: GPL-2.0
#
#   make                   modules for the running kernel (or KVER=release)
#   make modules K=6.1     the same for a test kernel: 6.1, 6.12, 6.12-bpo, debug, um,
#                          um-debug
#   make obj K=6.1 FILE=core/port/gid.c   one file with every warning on
#   make deb                         Debian packages, in build/deb
#   make install | dkms-install      on a real host, without packages;
#                                    install-drivers: without the core, over the
#                                    distribution's own
#   make check | demo | soak         see README.md; check-install: the packages,
#                                    in a Debian that boots
#   make bench                       how fast; QUICK=1 for less of it
#   make insns                       how many instructions a message takes

CACHE	:= $(or $(OFED_CACHE),/var/cache/ofed)
KVER	?= $(shell uname -r)
# Short names of test kernels are resolved by the list that prepare.sh keeps.
K	?=
ifneq ($(K),)
KDIR	:= $(shell awk '$$1 == "$(K)" { print $$5 }' $(CACHE)/kernels 2>/dev/null)
# The root of its release's programs, where the host's compiler is not the one of the headers.
ROOT	:= $(filter-out /,$(shell awk '$$1 == "$(K)" { print $$6 }' $(CACHE)/kernels 2>/dev/null))
B	:= $(shell OFED_CACHE='$(CACHE)' tests/vm/builddir)/$(K)
else
KDIR	?= /lib/modules/$(KVER)/build
B	:= $(CURDIR)/build/$(KVER)
endif

# Without it what follows makes the folder anew.
ifneq ($(shell test -L build && ! test -e build && echo gone),)
$(shell rm -f build)
endif

# What modules are made of; the copy that dkms keeps has no tests.
SOURCES	:= Kbuild core uverbs ucma umad hw include tools
TESTS	:= $(wildcard tests/modules tests/kunit tests/sparse-once)
AT	= $(B)
# Where this host has them.
HEADERS	= $(ROOT)$(KDIR)
KARGS	= --no-print-directory -C $(KDIR) M=$(AT) \
	genksyms='$(AT)/tools/genksyms-adopt $(KDIR)'
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
KARGS	+= KCFLAGS='-g0 $(WATCHED)' CONFIG_DEBUG_INFO_BTF_MODULES= W=1
endif

# What any clone compiled for a test kernel ccache finds again, as they all build at one
# place: a link to the clone that has the lock.
KMAKE	= $(if $(ROOT),tests/vm/inside $(ROOT)) $(MAKE) $(KARGS) $(KFLAGS) $(1)
BUILD	= $(KMAKE)
ifneq ($(and $(K),$(shell test -w $(CACHE) && command -v ccache)),)
AT	= $(CACHE)/place/$(K)
KARGS	+= CHECK='$(AT)/tests/sparse-once' \
	$(if $(filter 6.%,$(K)),DEBIAN_KERNEL_USE_CCACHE=1,CC='ccache gcc')
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

# Where the sources are: what dkms does with its own copy, one for each kernel.
here:
	@$(FIT) dkms.conf
	@$(MAKE) --no-print-directory -C $(KDIR) M=$(CURDIR) \
		genksyms='$(CURDIR)/tools/genksyms-adopt $(KDIR)' modules

obj: copy
	@+$(call BUILD,W=1 C=2 CF=-D__CHECK_ENDIAN__ $(FILE:.c=.o))

clean:
	rm -rf "$$(readlink -f build)" build

.PHONY: all copy modules here obj clean

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

kunit:
	@tests/vm/prepare.sh um-debug
	@$(MAKE) -s modules K=um-debug
	@tests/vm/run um-debug kunit

# UM=um, UM=um-debug, UM=debug: that too
UM	?=
kernels:
	@tests/vm/prepare.sh $(UM)

.PHONY: check soak vm kunit kernels

# On a real host: into updates/, where depmod prefers them to the stock ones.
DESTDIR	?=
MODDIR	= $(DESTDIR)/lib/modules/$(KVER)/updates/ofed
DEPMOD	= depmod $(if $(DESTDIR),-b $(DESTDIR)) $(KVER)
install: modules
	install -d $(MODDIR) $(DESTDIR)/lib/modprobe.d
	install -m 644 $(B)/core/*.ko $(B)/uverbs/*.ko $(B)/ucma/*.ko \
		$(B)/umad/*.ko $(B)/hw/*.ko $(MODDIR)/
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
# it goes below that folder. PACKAGES=ofed-drivers: without the core.
PACKAGES ?= ofed-core ofed-drivers
VERSION	:= $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"$$/\1/p' tools/dkms/ofed-core.conf)
# What each of them builds from, and no more.
DKMSCOMMON := Makefile Kbuild include tools/genksyms-adopt tools/fit
ofed-core-sources = $(DKMSCOMMON) core uverbs ucma umad
ofed-drivers-sources = $(DKMSCOMMON) hw
DKMSTREES = $(if $(DESTDIR),--sourcetree $(DESTDIR)/usr/src \
	--dkmstree $(DESTDIR)/var/lib/dkms --installtree $(DESTDIR)/lib/modules)
# Its own depmod would work on the host's modules in that case.
DKMSINSTALL = $(DKMSTREES) $(if $(DESTDIR),--no-depmod)
DKMSBUILD = -k $(KVER) --kernelsourcedir $(KDIR)

# The source of each, without a dkms.conf.
dkms-sources: $(PACKAGES:%=%-source)
%-source:
	install -d $(DESTDIR)/usr/src/$*-$(VERSION)
	tar -c --exclude='*.o' --exclude='*.ko' --exclude='.*.cmd' --exclude='*.mod*' \
		$($*-sources) | tar -x --no-same-owner -C $(DESTDIR)/usr/src/$*-$(VERSION)

dkms-install: $(PACKAGES:%=%-dkms)
	$(if $(DESTDIR),$(DEPMOD))
	$(if $(filter ofed-core,$(PACKAGES)),install -D -m 644 \
		tools/modprobe.d/ofed.conf $(DESTDIR)/lib/modprobe.d/ofed.conf)
%-dkms: %-source
	@command -v dkms >/dev/null || { echo "no dkms: apt install dkms"; exit 1; }
	$(if $(DESTDIR),install -d $(DESTDIR)/var/lib/dkms $(DESTDIR)/lib/modules/$(KVER))
	install -m 644 tools/dkms/$*.conf $(DESTDIR)/usr/src/$*-$(VERSION)/dkms.conf
	-dkms remove $*/$(VERSION) --all $(DKMSINSTALL) >/dev/null 2>&1
	dkms add $*/$(VERSION) $(DKMSTREES)
	dkms build $*/$(VERSION) $(DKMSBUILD) $(DKMSTREES)
	dkms install $*/$(VERSION) $(DKMSBUILD) $(DKMSINSTALL)

dkms-uninstall: $(PACKAGES:%=%-undkms)
	rm -f $(DESTDIR)/lib/modprobe.d/ofed.conf
%-undkms:
	dkms remove $*/$(VERSION) --all $(DKMSINSTALL)
	rm -rf $(DESTDIR)/usr/src/$*-$(VERSION)

# The one program that is compiled; the package ofed-smc has it.
install-smc:
	install -d $(DESTDIR)/usr/sbin
	$(CC) $(CPPFLAGS) $(CFLAGS) -std=gnu11 -D_GNU_SOURCE $(LDFLAGS) \
		-o $(DESTDIR)/usr/sbin/ofed-smc tools/smc/ofed-smc.c

# What ofed-utils has, and 'make install' leaves out. A process for each interface
# that goes is started where /etc/ofed/links.d is: what makes links persistent makes it.
install-utils:
	install -d $(DESTDIR)/usr/sbin $(DESTDIR)/usr/lib/ofed $(DESTDIR)/etc/ofed \
		$(DESTDIR)/lib/modprobe.d $(DESTDIR)/lib/systemd/system \
		$(DESTDIR)/lib/udev/rules.d $(DESTDIR)/usr/share/ofed/topologies \
		$(DESTDIR)/usr/share/bash-completion/completions
	install -m 755 tools/fabric/ofed-fabric $(DESTDIR)/usr/sbin/
	install -m 644 tools/fabric/topologies/*.topo $(DESTDIR)/usr/share/ofed/topologies/
	sed 's/^version=$$/version=$(VERSION)/' tools/ofedctrl/ofedctrl >$(DESTDIR)/usr/sbin/ofedctrl
	chmod 755 $(DESTDIR)/usr/sbin/ofedctrl
	install -m 644 tools/ofedctrl/completion.bash \
		$(DESTDIR)/usr/share/bash-completion/completions/ofedctrl
	install -m 644 tools/ofedctrl/*.sh $(DESTDIR)/usr/lib/ofed/
	install -m 644 tools/modprobe.d/ofed.conf $(DESTDIR)/lib/modprobe.d/
	install -m 644 tools/systemd/*.service $(DESTDIR)/lib/systemd/system/
	install -m 644 tools/udev/*.rules $(DESTDIR)/lib/udev/rules.d/
	test -e $(DESTDIR)/etc/ofed/ofed.conf || \
		install -m 644 tools/ofedctrl/ofed.conf $(DESTDIR)/etc/ofed/
	ln -sf /etc/ofed/ofed.conf $(DESTDIR)/lib/modprobe.d/ofed-options.conf

# Where nothing but packaging happens, and lintian has a look at the result.
DEB	= build/deb/ofed-$(VERSION)
deb:
	@dpkg-checkbuilddeps debian/control
	rm -rf build/deb
	install -d $(DEB)
	tar -c --exclude='*.o' --exclude='*.ko' --exclude='.*.cmd' --exclude='*.mod*' \
		Makefile $(SOURCES) Documentation/man debian | tar -x -C $(DEB)
	cd $(DEB) && dpkg-buildpackage -us -uc -b >../build.log 2>&1 || \
		{ tail -n 30 ../build.log; exit 1; }
	@if command -v lintian >/dev/null; then \
		lintian --allow-root --fail-on error build/deb/*.changes; fi
	@ls build/deb/*.deb

# ONLY=6.1: a short one, with one kernel.
ONLY	?=
check-install: kernels
	@tests/vm/install/run $(ONLY)

demo: kernels
	@$(MAKE) -s modules K=6.1
	@tests/vm/run 6.1 demo

# Documentation/design/testing.md has the variables. bench-page: the results page, from the
# data of the last run.
KERNELS	?= 6.1 um
bench:
	@tests/vm/prepare.sh $(filter um%,$(KERNELS))
	@tests/bench/run $(KERNELS)

PAGE	:= Documentation/design/performance.md
bench-page:
	@python3 -B tests/bench/report.py --page $(PAGE) build/bench/*.csv >build/bench/report; \
		test $$? -le 1 && echo "$(PAGE) is written"

# K=6.12; CELLS='host (write|reg)'; RECORD=1 for the figures that the check compares with
insns: kernels
	@tests/insns/run $(if $(RECORD),record,show) $(or $(K),6.1)

.PHONY: install install-drivers uninstall install-utils install-smc demo deb check-install
.PHONY: bench bench-page insns
.PHONY: dkms-sources dkms-install dkms-uninstall
