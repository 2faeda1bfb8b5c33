// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * An SPI controller without wires: bus 0 with two chip selects, both opened by spidev. It keeps the bytes of the last message and,
 * when told, fails or stops half-way, as a loose plug or a full queue would.
 *
 * debugfs, in spi_stub/:
 *   count      messages that went through whole, and when the last one came (CLOCK_MONOTONIC, ns)
 *   came_ns
 *   bytes      bytes of all messages
 *   last       the bytes of the last one
 *   speed_hz   its clock
 *   fail       the next so many messages fail with EIO
 *   shorten    the next so many messages lose their last byte and say so
 *   wire_time  1: a message takes as long as its bits would
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/spi/spi.h>

#define MOST_BYTES 65536

static struct platform_device *pdev;
static struct spi_controller *controller;
static struct dentry *folder;

static DEFINE_MUTEX(lock);
static u8 last[MOST_BYTES];
static struct debugfs_blob_wrapper last_blob = { .data = last };
static u64 count;
static u64 came_ns;
static u64 bytes;
static u32 speed_hz;
static u32 fail;
static u32 shorten;
static u32 wire_time;

static int transfer_message(struct spi_controller *ctlr, struct spi_message *message)
{
	struct spi_transfer *part;
	size_t length = 0;
	u64 bits = 0;

	mutex_lock(&lock);
	came_ns = ktime_get_ns();
	message->actual_length = 0;
	message->status = 0;
	if (fail) {
		fail--;
		message->status = -EIO;
		goto out;
	}
	list_for_each_entry(part, &message->transfers, transfer_list) {
		size_t fits = min_t(size_t, part->len, MOST_BYTES - length);

		if (part->tx_buf)
			memcpy(last + length, part->tx_buf, fits);
		if (part->rx_buf)
			memset(part->rx_buf, 0, part->len);
		length += fits;
		bits += 8ull * part->len;
		speed_hz = part->speed_hz;
		message->actual_length += part->len;
	}
	if (shorten && message->actual_length) {
		shorten--;
		message->actual_length--;
		length--;
	} else {
		count++;
	}
	last_blob.size = length;
	bytes += length;
	if (wire_time && speed_hz)
		usleep_range(bits * 1000000 / speed_hz, bits * 1000000 / speed_hz + 50);
out:
	mutex_unlock(&lock);
	spi_finalize_current_message(ctlr);
	return 0;
}

static int __init spi_stub_init(void)
{
	/* spidev takes only devices of a name that it knows. */
	struct spi_board_info device = { .modalias = "dh2228fv", .max_speed_hz = 32000000 };
	int result;

	pdev = platform_device_register_simple("spi_stub", -1, NULL, 0);
	if (IS_ERR(pdev))
		return PTR_ERR(pdev);
	controller = spi_alloc_host(&pdev->dev, 0);
	if (!controller) {
		result = -ENOMEM;
		goto no_controller;
	}
	controller->bus_num = 0;
	controller->num_chipselect = 2;
	controller->mode_bits = SPI_CPOL | SPI_CPHA | SPI_CS_HIGH | SPI_NO_CS;
	controller->bits_per_word_mask = SPI_BPW_MASK(8);
	controller->transfer_one_message = transfer_message;
	result = spi_register_controller(controller);
	if (result)
		goto not_registered;
	for (device.chip_select = 0; device.chip_select < 2; device.chip_select++) {
		if (!spi_new_device(controller, &device)) {
			spi_unregister_controller(controller);
			result = -ENODEV;
			goto no_controller;
		}
	}

	folder = debugfs_create_dir("spi_stub", NULL);
	debugfs_create_u64("count", 0444, folder, &count);
	debugfs_create_u64("came_ns", 0444, folder, &came_ns);
	debugfs_create_u64("bytes", 0444, folder, &bytes);
	debugfs_create_blob("last", 0444, folder, &last_blob);
	debugfs_create_u32("speed_hz", 0444, folder, &speed_hz);
	debugfs_create_u32("fail", 0644, folder, &fail);
	debugfs_create_u32("shorten", 0644, folder, &shorten);
	debugfs_create_u32("wire_time", 0644, folder, &wire_time);
	return 0;

not_registered:
	spi_controller_put(controller);
no_controller:
	platform_device_unregister(pdev);
	return result;
}

static void __exit spi_stub_exit(void)
{
	debugfs_remove_recursive(folder);
	spi_unregister_controller(controller);
	platform_device_unregister(pdev);
}

module_init(spi_stub_init);
module_exit(spi_stub_exit);
MODULE_DESCRIPTION("SPI controller without wires, for tests");
MODULE_LICENSE("Dual MIT/GPL");
