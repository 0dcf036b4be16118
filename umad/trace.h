/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracepoints of the kernel's own <trace/events/ib_umad.h>, which reads members
 * of an in-tree struct. A struct of that name is here, with these members alone.
 */
#ifndef OFED_UMAD_TRACE_H
#define OFED_UMAD_TRACE_H

#include "umad.h"

/* Of struct umad_port, what is traced. */
struct umad_traced_port {
	struct ib_device *ib_dev;
	u32 port_num;
};

/**
 * struct ib_umad_file - a file, as it is traced
 * @port: of it
 */
struct ib_umad_file {
	struct umad_traced_port *port;
};

#include <trace/events/ib_umad.h>

/* A program writes a MAD. Context: umad_file.agents_lock is held, not dead. */
static inline void umad_trace_write(const struct umad_file *file,
				    struct ib_user_mad_hdr *hdr,
				    struct ib_mad_hdr *mad)
{
	struct umad_traced_port port;
	struct ib_umad_file view = { .port = &port };

	if (!trace_ib_umad_write_enabled())
		return;
	port.ib_dev = file->port->ib_dev;
	port.port_num = file->port->port_num;
	trace_ib_umad_write(&view, hdr, mad);
}

void umad_do_trace_read(struct umad_file *file, struct umad_packet *packet);

/* A program has read a MAD. Context: process, may sleep; no lock is held. */
static inline void umad_trace_read(struct umad_file *file,
				   struct umad_packet *packet)
{
	if (trace_ib_umad_read_recv_enabled() ||
	    trace_ib_umad_read_send_enabled())
		umad_do_trace_read(file, packet);
}

#endif /* OFED_UMAD_TRACE_H */
