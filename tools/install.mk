# SPDX-License-Identifier: GPL-2.0
#
# Part of the Makefile: to this host, with dkms or without, and packages.

# On a real host: into updates/, where depmod prefers them to the stock ones.
DESTDIR	?=
MODDIR	= $(DESTDIR)/lib/modules/$(KVER)/updates/ofed
DEPMOD	= depmod $(if $(DESTDIR),-b $(DESTDIR)) $(KVER)
install: modules
	@test -e $(B)/core/ofed_core.ko || \
		{ echo "no core for $(KVER): make install-drivers" >&2; exit 1; }
	install -d $(MODDIR) $(DESTDIR)/lib/modprobe.d
	install -m 644 $(B)/core/*.ko $(B)/uverbs/*.ko $(B)/ucma/*.ko \
		$(B)/umad/*.ko $(B)/ucm/*.ko $(B)/hw/*.ko $(MODDIR)/
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
# What each of them builds from, and no more.
DKMSCOMMON := Makefile Kbuild include \
	$(addprefix tools/,genksyms-adopt gendwarfksyms-adopt export-macros rdma-headers rdma-headers.txt fit version alone)
ofed-core-sources = $(DKMSCOMMON) core uverbs ucma umad ucm
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
	sed 's/#MODULE_VERSION#/$(VERSION)/' tools/dkms/$*.conf \
		>$(DESTDIR)/usr/src/$*-$(VERSION)/dkms.conf
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
		-o $(DESTDIR)/usr/sbin/ofed-smc $(wildcard tools/smc/*.c)

# The provider, as the package libofed-verbs has it; its scripts divert those of rdma-core,
# in the places of which these links are. libibverbs asks the providers in the order of
# these lines, or in the opposite order: ours is first in either.
VERBSHEADERS ?= $(CURDIR)/rdma-core-headers
PROVIDERS ?= /usr/lib/$(shell $(CC) -print-multiarch)/libibverbs
STANDSFOR := rxe siw
install-verbs:
	$(MAKE) -C lib headers=$(VERBSHEADERS) out=$(CURDIR)/build/verbs
	install -d $(DESTDIR)$(PROVIDERS) $(DESTDIR)/etc/libibverbs.d \
		$(DESTDIR)/usr/share/libofed-verbs
	install -m 644 build/verbs/libofed-rdmav*.so $(DESTDIR)$(PROVIDERS)/
	cd $(DESTDIR)$(PROVIDERS) && for name in $(STANDSFOR); do \
		ln -s libofed-rdmav*.so lib$$name-rdmav$$(cat $(VERBSHEADERS)/abi).so; done
	for name in ofed $(STANDSFOR:%=%-stock) ofed; do echo "driver $$name"; done \
		>$(DESTDIR)/usr/share/libofed-verbs/ofed.driver
	ln -s /usr/share/libofed-verbs/ofed.driver $(DESTDIR)/etc/libibverbs.d/ofed.driver

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
	tools/rdma-core-headers build/rdma-core-headers
	cp -r build/rdma-core-headers $(DEB)/
	tar -c --exclude='*.o' --exclude='*.ko' --exclude='.*.cmd' --exclude='*.mod*' \
		Makefile $(SOURCES) lib Documentation/man debian | tar -x -C $(DEB)
	sed '1s/#VERSION#/$(VERSION)/' debian/changelog.in >$(DEB)/debian/changelog
	cd $(DEB) && dpkg-buildpackage -us -uc -b >../build.log 2>&1 || \
		{ tail -n 30 ../build.log; exit 1; }
	@if command -v lintian >/dev/null; then \
		lintian --allow-root --fail-on error build/deb/*.changes; fi
	@ls build/deb/*.deb

.PHONY: install install-drivers uninstall install-utils install-smc install-verbs deb
.PHONY: dkms-sources dkms-install dkms-uninstall
