// SPDX-License-Identifier: GPL-2.0
/* ports/N/{gids,pkeys,gid_attrs}: one file for each entry of a table. */
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <rdma/ib_cache.h>

#include "../port/gid.h"
#include "port.h"

/*
 * The file of one entry. Below the port's own directory files are called as
 * @port, below gid_attrs (a plain kobject) as @kobj; both begin with @attr.
 */
struct table_file {
	union {
		struct attribute attr;
		struct ib_port_attribute port;
		struct kobj_attribute kobj;
	};
	unsigned int index;
	char name[sizeof("4294967295")];
};

struct port_table {
	struct attribute_group group;
	struct attribute **attrs;
	struct table_file files[];
};

static void sysfs_table_free(struct port_table *table)
{
	if (table)
		kvfree(table->attrs);
	kvfree(table);
}

/* Each file begins as a copy of @proto, which says what shows it. */
static struct port_table *sysfs_table_alloc(const char *name, unsigned int count,
					    const struct table_file *proto)
{
	struct port_table *table;
	unsigned int i;

	table = kvzalloc(struct_size(table, files, count), GFP_KERNEL);
	if (!table)
		return NULL;
	table->attrs = kvcalloc(count + 1, sizeof(*table->attrs), GFP_KERNEL);
	if (!table->attrs)
		goto err_free;

	for (i = 0; i < count; i++) {
		struct table_file *file = &table->files[i];

		*file = *proto;
		sysfs_attr_init(&file->attr);
		snprintf(file->name, sizeof(file->name), "%u", i);
		file->index = i;
		file->attr.name = file->name;
		file->attr.mode = 0444;
		table->attrs[i] = &file->attr;
	}
	table->group.name = name;
	table->group.attrs = table->attrs;
	return table;

err_free:
	sysfs_table_free(table);
	return NULL;
}

/* Programs read the whole table: an empty entry shows as zero, no error. */
static ssize_t gid_show(struct ib_device *device, u32 port_num,
			struct ib_port_attribute *attr, char *buf)
{
	struct table_file *file = container_of(attr, struct table_file, port);
	union ib_gid gid;

	if (rdma_query_gid(device, port_num, file->index, &gid))
		memset(&gid, 0, sizeof(gid));
	return sysfs_emit(buf, "%pI6\n", gid.raw);
}

static ssize_t pkey_show(struct ib_device *device, u32 port_num,
			 struct ib_port_attribute *attr, char *buf)
{
	struct table_file *file = container_of(attr, struct table_file, port);
	u16 pkey;
	int ret;

	ret = ib_query_pkey(device, port_num, file->index, &pkey);
	return ret ? ret : sysfs_emit(buf, "0x%04x\n", pkey);
}

static const struct ib_gid_attr *sysfs_gid_attr_of(struct kobject *dir,
						   struct table_file *file)
{
	/* The directory is in the tree as long as a file of it is being read. */
	struct ib_port *port = kobj_to_port(dir->parent);

	return rdma_get_gid_attr(port->device, port->num, file->index);
}

/* In both files an empty entry is EINVAL; libibverbs knows that one. */
static ssize_t gid_type_show(struct kobject *dir, struct kobj_attribute *attr,
			     char *buf)
{
	struct table_file *file = container_of(attr, struct table_file, kobj);
	const struct ib_gid_attr *gid_attr = sysfs_gid_attr_of(dir, file);
	ssize_t ret;

	if (IS_ERR(gid_attr))
		return -EINVAL;
	ret = sysfs_emit(buf, "%s\n", ofed_gid_type_str(gid_attr->gid_type));
	rdma_put_gid_attr(gid_attr);
	return ret;
}

static ssize_t gid_ndev_show(struct kobject *dir, struct kobj_attribute *attr,
			     char *buf)
{
	struct table_file *file = container_of(attr, struct table_file, kobj);
	const struct ib_gid_attr *gid_attr = sysfs_gid_attr_of(dir, file);
	struct net_device *ndev;
	ssize_t ret = -EINVAL;

	if (IS_ERR(gid_attr))
		return -EINVAL;
	rcu_read_lock();
	ndev = rcu_dereference(gid_attr->ndev);
	if (ndev)
		ret = sysfs_emit(buf, "%s\n", ndev->name);
	rcu_read_unlock();
	rdma_put_gid_attr(gid_attr);
	return ret;
}

/* On failure the caller frees what there is. */
int ofed_port_tables_alloc(struct ib_port *port)
{
	static const struct table_file gid = { .port.show = gid_show };
	static const struct table_file pkey = { .port.show = pkey_show };
	static const struct table_file type = { .kobj.show = gid_type_show };
	static const struct table_file ndev = { .kobj.show = gid_ndev_show };
	struct ib_port_attr attr;
	int ret;

	ret = ib_query_port(port->device, port->num, &attr);
	if (ret)
		return ret;

	port->gids = sysfs_table_alloc("gids", attr.gid_tbl_len, &gid);
	port->types = sysfs_table_alloc("types", attr.gid_tbl_len, &type);
	port->ndevs = sysfs_table_alloc("ndevs", attr.gid_tbl_len, &ndev);
	if (!port->gids || !port->types || !port->ndevs)
		return -ENOMEM;

	/* iWARP ports have no partitions and get no directory. */
	if (!attr.pkey_tbl_len)
		return 0;
	port->pkeys = sysfs_table_alloc("pkeys", attr.pkey_tbl_len, &pkey);
	return port->pkeys ? 0 : -ENOMEM;
}

void ofed_port_tables_free(struct ib_port *port)
{
	sysfs_table_free(port->pkeys);
	sysfs_table_free(port->ndevs);
	sysfs_table_free(port->types);
	sysfs_table_free(port->gids);
}

/* On failure too, the caller removes what there is. */
int ofed_port_tables_add(struct ib_port *port)
{
	int ret;

	ret = sysfs_create_group(&port->kobj, &port->gids->group);
	if (ret)
		return ret;
	if (port->pkeys) {
		ret = sysfs_create_group(&port->kobj, &port->pkeys->group);
		if (ret)
			return ret;
	}

	port->gid_attrs = kobject_create_and_add("gid_attrs", &port->kobj);
	if (!port->gid_attrs)
		return -ENOMEM;
	ret = sysfs_create_group(port->gid_attrs, &port->types->group);
	if (ret)
		return ret;
	return sysfs_create_group(port->gid_attrs, &port->ndevs->group);
}

/* gids and pkeys go with the port's directory. */
void ofed_port_tables_remove(struct ib_port *port)
{
	kobject_del(port->gid_attrs);
	kobject_put(port->gid_attrs);
	port->gid_attrs = NULL;
}
