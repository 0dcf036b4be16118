/* SPDX-License-Identifier: GPL-2.0 */
/* The InfiniBand CM, as the rest of ofed_core sees it. */
#ifndef OFED_CM_IB_CM_H
#define OFED_CM_IB_CM_H

int ofed_ib_cm_init(void);
void ofed_ib_cm_exit(void);

#endif /* OFED_CM_IB_CM_H */
