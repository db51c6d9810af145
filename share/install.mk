##@ Installing
MAN := $(wildcard docs/man/*.[1-9])
# Several rules make the same folders at the same time, over which `install -d` may fail and `mkdir -p` does not.
FOLDERS := umask 022 && mkdir -p
install: all ## commands, libraries, manual pages; PREFIX=/usr/local DESTDIR= LIBDIR=
	@echo '  INSTALL $(DESTDIR)$(PREFIX)'
	$(Q)$(FOLDERS) $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/share/doc/regloom
	install -m755 $(COMMANDS) $(DESTDIR)$(PREFIX)/bin
	$(if $(LLVM),install -Dm755 $(LLVM) $(DESTDIR)$(PREFIX)/lib/regloom/regloom-llvm)
	install -m644 $(B)/libregloom.a $(DESTDIR)$(LIBDIR)
	install -m755 $(B)/libregloom.so $(DESTDIR)$(LIBDIR)/libregloom.so.$(VERSION)
	ln -sf libregloom.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libregloom.so.$(SOVERSION)
	ln -sf libregloom.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libregloom.so
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' regloom.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/regloom.pc
	install -m644 include/regloom.h $(DESTDIR)$(PREFIX)/include
	install -m644 README.md LICENSE $(DESTDIR)$(PREFIX)/share/doc/regloom
	for m in $(MAN); do install -Dm644 $$m $(DESTDIR)$(PREFIX)/share/man/man$${m##*.}/$${m##*/}; done
uninstall: ## remove what make install put there, with the same PREFIX, DESTDIR and LIBDIR
	rm -f $(DESTDIR)$(PREFIX)/bin/ptx-annotate $(DESTDIR)$(PREFIX)/bin/sm-model $(DESTDIR)$(LIBDIR)/libregloom.* \
	  $(DESTDIR)$(LIBDIR)/pkgconfig/regloom.pc $(DESTDIR)$(PREFIX)/include/regloom.h
	rm -rf $(DESTDIR)$(PREFIX)/share/doc/regloom $(DESTDIR)$(PREFIX)/lib/regloom
	for m in $(MAN); do rm -f $(DESTDIR)$(PREFIX)/share/man/man$${m##*.}/$${m##*/}; done

# What other build systems find of regloom: files of share/, with the relative way from where they will lie to the commands and the
# library. In build/ they serve the tree itself, so that -Dregloom_DIR=.../build and `include .../build/regloom.mk` work uninstalled.
CMAKE_DIR = $(LIBDIR)/cmake/regloom
# to_there FROM TO: the relative way
to_there = $(shell realpath -ms --relative-to="$(1)" "$(2)")
# share_file FOLDER-IT-LIES-IN BIN LIB INCLUDE SHARED-LIBRARY: sed that completes a file
share_file = sed -e 's|@BINDIR@|$(call to_there,$(1),$(2))|' -e 's|@LIBDIR@|$(call to_there,$(1),$(3))|' \
             -e 's|@INCLUDEDIR@|$(call to_there,$(1),$(4))|' -e 's|@SHARED@|$(5)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@SOVERSION@|$(SOVERSION)|' -e 's|@PKGS@|$(PKGS)|'
SHARE := $(B)/regloomConfig.cmake $(B)/regloomConfigVersion.cmake $(B)/regloomFunctions.cmake $(B)/regloom.mk
all: $(SHARE)

$(B)/regloomConfig.cmake $(B)/regloomConfigVersion.cmake: $(B)/%: share/cmake/%.in share/install.mk Makefile
	@mkdir -p $(@D)
	$(Q)$(call share_file,$(B),$(B),$(B),include,libregloom.so) $< > $@
$(B)/regloomFunctions.cmake: share/cmake/regloomFunctions.cmake
	@mkdir -p $(@D)
	$(Q)cp $< $@
$(B)/regloom.mk: share/make/regloom.mk.in share/install.mk Makefile
	@mkdir -p $(@D)
	$(Q)$(call share_file,$(B),$(B),$(B),include,libregloom.so) $< > $@
SCRIPTS := $(B)/regloom-ptxas $(B)/regloom-nvcc
all: $(SCRIPTS)
$(SCRIPTS): $(B)/%: share/nvcc/%
	@mkdir -p $(@D)
	$(Q)cp $< $@
# The program loads its library by this name.
$(B)/libregloom.so.$(SOVERSION): | $(B)/libregloom.so
	$(Q)ln -sf libregloom.so $@
all: $(B)/libregloom.so.$(SOVERSION)

# Search paths (PATH, LD_LIBRARY_PATH, PKG_CONFIG_PATH, -rpath), lists of CMake and rules of make end a name there, and have no way to say that one goes on.
ifneq ($(filter install install-share,$(MAKECMDGOALS)),)
ifneq ($(findstring :,$(PREFIX)$(LIBDIR))$(findstring ;,$(PREFIX)$(LIBDIR)),)
$(error nothing can be installed in $(PREFIX)$(if $(filter $(PREFIX)/%,$(LIBDIR)),, and $(LIBDIR)): no search path (PATH, LD_LIBRARY_PATH, PKG_CONFIG_PATH) can name a folder with ':' or ';')
endif
endif
.PHONY: install-share uninstall-share
install: install-share
install-share: all
	$(FOLDERS) $(DESTDIR)$(CMAKE_DIR) $(DESTDIR)$(PREFIX)/share/regloom $(DESTDIR)$(PREFIX)/bin
	install -m755 $(SCRIPTS) $(DESTDIR)$(PREFIX)/bin
	for f in regloomConfig regloomConfigVersion; do \
	  $(call share_file,$(CMAKE_DIR),$(PREFIX)/bin,$(LIBDIR),$(PREFIX)/include,libregloom.so.$(VERSION)) share/cmake/$$f.cmake.in \
	    > $(DESTDIR)$(CMAKE_DIR)/$$f.cmake || exit 1; done
	install -m644 share/cmake/regloomFunctions.cmake $(DESTDIR)$(CMAKE_DIR)
	$(call share_file,$(PREFIX)/share/regloom,$(PREFIX)/bin,$(LIBDIR),$(PREFIX)/include,) share/make/regloom.mk.in > $(DESTDIR)$(PREFIX)/share/regloom/regloom.mk
uninstall: uninstall-share
uninstall-share:
	rm -f $(SCRIPTS:$(B)/%=$(DESTDIR)$(PREFIX)/bin/%)
	rm -rf $(DESTDIR)$(CMAKE_DIR) $(DESTDIR)$(PREFIX)/share/regloom

# ---- Debian packages ----
# Built offline from a copy of the sources, with the flags of dpkg-buildflags, and checked by lintian. What was compiled stays for the
# next time. DEB_OPT: see share/debian/rules.
DEB ?= build/deb
.PHONY: deb-build
deb: deb-build ## Debian packages in build/deb, checked by lintian
	lintian --info --fail-on error,warning $(DEB)/*.changes
	@ls $(DEB)/*.deb
deb-build: deps-build deps-deb
	$(Q)mkdir -p $(DEB)/src && rm -f $(DEB)/*.deb $(DEB)/*.changes $(DEB)/*.buildinfo
	$(Q)find $(DEB)/src -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
	$(Q){ git ls-files -z 2>/dev/null || find . -path ./build -prune -o -type f -print0; } | tar -c --null -T - | tar -x -C $(DEB)/src
	$(Q)mv $(DEB)/src/share/debian $(DEB)/src/debian
	$(Q)cd $(DEB)/src && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL DEB_BUILD_OPTIONS="parallel=$(shell nproc) $(DEB_BUILD_OPTIONS)" \
	  DEB_OPT='$(DEB_OPT)' dpkg-buildpackage -b -nc -us -uc --no-check-builddeps > ../log 2>&1 || { tail -40 ../log; exit 1; }
