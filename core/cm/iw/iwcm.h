/* SPDX-License-Identifier: GPL-2.0 */
/* The iWARP CM, as the rest of ofed_core sees it. */
#ifndef OFED_CM_IW_CM_H
#define OFED_CM_IW_CM_H

int ofed_iw_cm_init(void);
void ofed_iw_cm_exit(void);

#endif /* OFED_CM_IW_CM_H */
