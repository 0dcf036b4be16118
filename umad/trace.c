// SPDX-License-Identifier: GPL-2.0
/* What is traced of files of umadN. */
#define CREATE_TRACE_POINTS
#include "trace.h"

/* The device may be gone while a program reads what it has received before. */
void umad_do_trace_read(struct umad_file *file, struct umad_packet *packet)
{
	struct umad_traced_port port = { .port_num = file->port->port_num };
	struct ib_umad_file view = { .port = &port };

	down_read(&file->agents_lock);
	port.ib_dev = READ_ONCE(file->dead) ? NULL : file->port->ib_dev;
	if (port.ib_dev && packet->recv)
		trace_ib_umad_read_recv(&view, &packet->hdr,
					&packet->recv->recv_buf.mad->mad_hdr);
	else if (port.ib_dev)
		trace_ib_umad_read_send(&view, &packet->hdr, &packet->mad_hdr);
	up_read(&file->agents_lock);
}
