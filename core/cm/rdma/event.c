// SPDX-License-Identifier: GPL-2.0
/* rdma_cm: moves of an id to its next state, and its events on their way. */
#include "cma.h"
#include "trace.h"

/* Return: the state before, or -EINVAL when the move is not allowed. */
int cma_move_from(struct cma_id *id, enum cma_move move)
{
	unsigned long flags;
	int was, next;

	spin_lock_irqsave(&id->lock, flags);
	was = id->state;
	next = cma_next_state(was, move);
	if (next >= 0)
		WRITE_ONCE(id->state, next);
	spin_unlock_irqrestore(&id->lock, flags);
	if (next < 0)
		pr_debug("rdma_cm: id %u: move %u refused in state %d\n",
			 id->res.tracked.entry.id, move, was);
	return next < 0 ? next : was;
}

/* Return: 0, or -EINVAL when the move is not allowed. */
int cma_move(struct cma_id *id, enum cma_move move)
{
	return min(cma_move_from(id, move), 0);
}

/* Tell the consumer. Return: its answer; it wants the id gone if nonzero. */
int cma_report(struct cma_id *id, struct rdma_cm_event *event)
{
	int ret;

	lockdep_assert_held(&id->handler_mutex);
	trace_cm_event_handler(id, event);
	ret = id->pub.event_handler(&id->pub, event);
	trace_cm_event_done(id, event, ret);
	return ret;
}

/* For handlers of groups: to end the id is to wait for them. */
void cma_end_later(struct cma_id *id)
{
	int was = cma_move_from(id, CMA_M_DESTROY);

	lockdep_assert_held(&id->handler_mutex);
	if (was < 0)
		return;
	id->end_was = was;
	queue_work(cma_wq, &id->end_work);
}

/**
 * cma_step_start - bring the end of a query to the consumer
 * @id: id in a state of query; the caller alone ends this query
 * @status: what it came to
 * @finish: see struct cma_step
 *
 * Context: any.
 */
void cma_step_start(struct cma_id *id, int status,
		    bool (*finish)(struct cma_id *id, int status,
				   struct rdma_cm_event *event))
{
	cma_id_get(id);
	id->step.finish = finish;
	id->step.status = status;
	/* Not pending: the previous query's work moved the state before. */
	if (WARN_ON_ONCE(!queue_work(cma_wq, &id->step.work)))
		cma_id_put(id);
}
