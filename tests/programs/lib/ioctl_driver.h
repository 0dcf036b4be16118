/* SPDX-License-Identifier: GPL-2.0 */
/* The methods that ofed_testdev defines itself, as ioctl_methods.h has others. */
#ifndef IOCTL_DRIVER_H
#define IOCTL_DRIVER_H

#include "../../modules/ofed_testdev_abi.h"
#include "ioctl_methods.h"

#define M(o, n) .name = #n, .object = TESTDEV_OBJECT_##o,		\
	.method = TESTDEV_METHOD_##n
#define A(n) #n, TESTDEV_ATTR_##n

enum { SPECIAL_TEXT = 16 };

static const struct ioctl_method driver_methods[] = {
	{ M(BOX, BOX_CREATE), {
		{ A(BOX_CREATE_HANDLE), T_NEW, MUST, 0, TESTDEV_OBJECT_BOX },
		{ A(BOX_CREATE_TEXT), T_IN, MUST, 40, 0, SPECIAL_TEXT },
		{ A(BOX_CREATE_KIND), T_CONST, MUST, 8, 0, TESTDEV_BOX_WOOD },
		{ A(BOX_CREATE_LEVEL), T_CONST, LEFT, 8, 0, 3 },
		{ A(BOX_CREATE_FLAGS), T_FLAGS, LEFT, 4, 0,
		  TESTDEV_BOX_PAINTED },
		{ A(BOX_CREATE_RESP_NUMBER), T_OUT, MUST, 4 } } },
	{ M(BOX, BOX_QUERY), {
		{ A(BOX_QUERY_HANDLE), T_USE, MUST, 0, TESTDEV_OBJECT_BOX },
		{ A(BOX_QUERY_RESP), T_OUT, MUST,
		  sizeof(struct testdev_box_info) },
		{ A(BOX_QUERY_TEXT), T_OUT, MAY, 64 } } },
	{ M(BOX, BOX_SHAPE), {
		{ A(BOX_SHAPE_HANDLE), T_USE, MUST, 0, TESTDEV_OBJECT_BOX },
		{ A(BOX_SHAPE), T_ENUM, MUST, 0, TESTDEV_SHAPES } } },
	{ M(BOX, BOX_PACK), {
		{ A(BOX_PACK_HANDLE), T_USE, MUST, 0, TESTDEV_OBJECT_BOX },
		{ A(BOX_PACK_PDS), T_USES, MAY, 8, UVERBS_OBJECT_PD },
		{ A(BOX_PACK_RESP_SUM), T_OUT, MUST, 8 } } },
	{ M(BELL, BELL_OPEN), {
		{ A(BELL_OPEN_FD), T_NEW_FD, MUST, 0, TESTDEV_OBJECT_BELL } } },
	{ M(BELL, BELL_RING), {
		{ A(BELL_RING_FD), T_FD, MUST, 0, TESTDEV_OBJECT_BELL },
		{ A(BELL_RING_TIMES), T_IN, MUST, 4, 0, 2 } } },
	{ M(TOOLS, TOOLS_ECHO), {
		{ A(ECHO_TEXT), T_IN, MUST, 40, 0, SPECIAL_TEXT },
		{ A(ECHO_TIMES), T_IN, MUST, 4, 0, 2 },
		{ A(ECHO_RESP), T_OUT, MUST, 64 } } },
	{ M(TOOLS, TOOLS_NAME), {
		{ A(NAME_HANDLE), T_USE, MUST, 0, UVERBS_OBJECT_CQ },
		{ A(NAME_RESP), T_OUT, MUST, 4 } } },
	{ .name = "PD_QUERY", .object = UVERBS_OBJECT_PD,
	  .method = TESTDEV_METHOD_PD_QUERY, {
		{ A(PD_QUERY_HANDLE), T_USE, MUST, 0, UVERBS_OBJECT_PD },
		{ A(PD_QUERY_RESP), T_OUT, MUST, 4 } } },
	{ M(BOX, BOX_DESTROY), {
		{ A(BOX_DESTROY_HANDLE), T_GONE, MUST, 0,
		  TESTDEV_OBJECT_BOX } } },
};

#define DRIVER_METHODS (sizeof(driver_methods) / sizeof(driver_methods[0]))

#undef M
#undef A

#endif /* IOCTL_DRIVER_H */
