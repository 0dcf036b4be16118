/* SPDX-License-Identifier: GPL-2.0 */
/* Memory of programs: pins and areas. */
#ifndef OFED_COMPAT_MM_H
#define OFED_COMPAT_MM_H

/*
 * Since 6.2 a FOLL_LONGTERM pin for reading gives the owner its own copy of a
 * zero page or page cache page first. Before, only a forced write fault does,
 * and without it a region would miss what the owner writes later. Drop with
 * 6.1.
 */
#ifdef COMPAT_GUP_NO_UNSHARE
#define compat_gup_read_longterm() (FOLL_WRITE | FOLL_FORCE)
#else
#define compat_gup_read_longterm() (0)
#endif

/*
 * Since 6.3 the flags of an area are changed by a function. The mmap lock is held
 * for writing. Drop with 6.1.
 */
#ifdef COMPAT_HAVE_VM_FLAGS_SET
#define compat_vm_flags_set(vma, bits) vm_flags_set(vma, bits)
#else
#define compat_vm_flags_set(vma, bits) ((vma)->vm_flags |= (bits))
#endif

/* All of an area out of the page tables. Since 7.x by a function of its own. Drop with 6.12. */
#ifdef COMPAT_HAVE_ZAP_SPECIAL
#define compat_zap_vma(vma) \
	zap_special_vma_range((vma), (vma)->vm_start, (vma)->vm_end - (vma)->vm_start)
#else
#define compat_zap_vma(vma) \
	zap_vma_ptes((vma), (vma)->vm_start, (vma)->vm_end - (vma)->vm_start)
#endif

#endif /* OFED_COMPAT_MM_H */
