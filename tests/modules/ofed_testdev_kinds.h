/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every kind of object that is counted, with the most that a device gives out.
 * No include guard: the file that includes this says what TD_KIND() makes of the two.
 */
TD_KIND(device, 64)
TD_KIND(ucontext, 1024)
TD_KIND(mmap_entry, 2048)
TD_KIND(pd, 1024)
TD_KIND(ah, 4096)
TD_KIND(cq, 1024)
TD_KIND(qp, 1024)
TD_KIND(srq, 1024)
TD_KIND(mr, 4096)
TD_KIND(mw, 4096)
TD_KIND(xrcd, 1024)
TD_KIND(wq, 1024)
TD_KIND(rwq_ind_table, 1024)
TD_KIND(mcast, 4096)
TD_KIND(flow, 4096)
TD_KIND(dm, 64)
TD_KIND(counters, 1024)
TD_KIND(gid, 1024)
TD_KIND(dmabuf, 256)
TD_KIND(box, 1024)
TD_KIND(bell, 256)
TD_KIND(dmah, 256)
TD_KIND(comp_cntr, 256)
TD_KIND(frmr, 4096)
#undef TD_KIND
