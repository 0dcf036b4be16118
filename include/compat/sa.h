/* SPDX-License-Identifier: GPL-2.0 */
/* <rdma/ib_sa.h>. */
#ifndef OFED_COMPAT_SA_H
#define OFED_COMPAT_SA_H

/*
 * The count in the callback of ib_sa_path_rec_get() is unsigned, which 6.1 has
 * signed. Drop with 6.1.
 */
#ifdef COMPAT_HAVE_UNSIGNED_NUM_PRS
#define compat_num_prs unsigned int
#else
#define compat_num_prs int
#endif

#endif /* OFED_COMPAT_SA_H */
