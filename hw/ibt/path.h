/* SPDX-License-Identifier: GPL-2.0 */
/* The path that a queue pair uses, and its migration. References are in link.h. */
#ifndef IBT_PATH_H
#define IBT_PATH_H

#include <linux/types.h>

struct ibt_dev;
struct ibt_path;
struct ibt_qp;
struct rdma_ah_attr;

/* Path of the address @av, with a reference, or ERR_PTR: as of link.path_resolve. */
struct ibt_path *ibt_path_resolve(struct ibt_dev *dev,
				  const struct rdma_ah_attr *av, gfp_t gfp);
/* For the link's choice among several ways: the label of the address; without one, the
 * same from both ends. UD has no peer.
 */
u32 ibt_qp_flow(const struct ibt_qp *qp);
/* Path in use, with a reference, resolved anew when it is stale; or NULL. */
struct ibt_path *ibt_qp_path(struct ibt_qp *qp);
/* If armed: use the alternate path from now on, IBA 17.2.8. Any context. False
 * when there is no armed one.
 */
bool ibt_qp_migrate(struct ibt_qp *qp);
/* MigReq of a good packet that came for @qp, by the alternate path or the one in
 * use, IBA 17.2.8. Softirqs disabled, none of its locks held; cheap.
 */
void ibt_apm_rx(struct ibt_qp *qp, bool migrated, bool alternate);

#endif /* IBT_PATH_H */
