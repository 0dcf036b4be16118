/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FABRIC_H
#define FABRIC_H

/* The fabric of the suite again: two HCAs and a cable. */
void fabric_back(void);

#endif /* FABRIC_H */
