/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The MAD layer, as the rest of ofed_core sees it; what agents use is in
 * <rdma/ib_mad.h>.
 */
#ifndef OFED_CORE_MAD_H
#define OFED_CORE_MAD_H

/*
 * A client of every device with MADs. The first of the clients: the agents of
 * the others are gone when it gives a device up.
 */
int ofed_mad_init(void);
void ofed_mad_exit(void);

#endif /* OFED_CORE_MAD_H */
