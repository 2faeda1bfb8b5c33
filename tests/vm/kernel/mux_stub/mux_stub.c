// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Four CD74HC4067 analogue multiplexers that share their address lines, with an open-drain hall switch on each of the 64 inputs, as
 * the part of a Raspberry Pi's header that they are wired to: lines 0 to 3 are the address S0 to S3, lines 4 to 7 the common pins of
 * the four, named as boards/lattice7-mux.toml has them. A program in user space could not answer thousands of addresses a second; this
 * does so at once.
 *
 * A switch pulls its pin low while a magnet is over it and lets go of it otherwise; the pull-up resistor on the common pin does the
 * rest. A common pin without one (the request asked for no bias) reads low whatever is there.
 *
 * debugfs, in mux_stub/:
 *   magnets    bit n: there is a magnet over input n % 16 of multiplexer n / 16
 *   settle_ns  so long after a new address the common pins still carry the input of the one before
 *   changes    new addresses, and when the last one was set (CLOCK_MONOTONIC, ns)
 *   changed_ns
 *   jumps      new addresses that differ in more than one line from the one before
 *   early      reads that came too soon to be right
 */
#include <linux/bits.h>
#include <linux/debugfs.h>
#include <linux/gpio/driver.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/spinlock.h>

#define ADDRESS_LINES 4
#define MULTIPLEXERS 4
#define LINES (ADDRESS_LINES + MULTIPLEXERS)
#define INPUTS (1 << ADDRESS_LINES)
#define ADDRESS_MASK (INPUTS - 1)

static struct platform_device *pdev;
static struct dentry *folder;

static DEFINE_SPINLOCK(lock);
static unsigned int address;
static unsigned int address_before;
static u64 changed_ns;
static unsigned long outputs;
static unsigned long pulled_up;

static u64 magnets;
static u32 settle_ns = 1000;
static u64 changes;
static u64 jumps;
static u64 early;

static void set_address(unsigned int next)
{
	u64 now = ktime_get_ns();

	if (next == address)
		return;
	/* An address that never settled was never to be heard. */
	if (now - changed_ns >= settle_ns)
		address_before = address;
	changes++;
	if (!is_power_of_2(next ^ address))
		jumps++;
	address = next;
	changed_ns = now;
}

static unsigned long levels(void)
{
	unsigned int input = address;
	unsigned long result = address;
	unsigned int n;

	if (ktime_get_ns() - changed_ns < settle_ns) {
		input = address_before;
		early++;
	}
	for (n = 0; n < MULTIPLEXERS; n++)
		if (!(magnets >> (n * INPUTS + input) & 1) && (pulled_up & BIT(ADDRESS_LINES + n)))
			result |= BIT(ADDRESS_LINES + n);
	return result;
}

static int mux_get_direction(struct gpio_chip *chip, unsigned int line)
{
	return outputs & BIT(line) ? GPIO_LINE_DIRECTION_OUT : GPIO_LINE_DIRECTION_IN;
}

static int mux_direction_input(struct gpio_chip *chip, unsigned int line)
{
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	outputs &= ~BIT(line);
	spin_unlock_irqrestore(&lock, flags);
	return 0;
}

static void mux_set_multiple(struct gpio_chip *chip, unsigned long *mask, unsigned long *bits)
{
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	set_address((address & ~*mask) | (*bits & *mask & ADDRESS_MASK));
	spin_unlock_irqrestore(&lock, flags);
}

static void mux_set(struct gpio_chip *chip, unsigned int line, int value)
{
	unsigned long mask = BIT(line);
	unsigned long bits = value ? mask : 0;

	mux_set_multiple(chip, &mask, &bits);
}

static int mux_direction_output(struct gpio_chip *chip, unsigned int line, int value)
{
	unsigned long flags;

	if (line >= ADDRESS_LINES)
		return -EPERM; /* two drivers on one wire */
	spin_lock_irqsave(&lock, flags);
	outputs |= BIT(line);
	spin_unlock_irqrestore(&lock, flags);
	mux_set(chip, line, value);
	return 0;
}

static int mux_get_multiple(struct gpio_chip *chip, unsigned long *mask, unsigned long *bits)
{
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	*bits = levels() & *mask;
	spin_unlock_irqrestore(&lock, flags);
	return 0;
}

static int mux_get(struct gpio_chip *chip, unsigned int line)
{
	unsigned long mask = BIT(line);
	unsigned long bits;

	mux_get_multiple(chip, &mask, &bits);
	return !!bits;
}

static int mux_set_config(struct gpio_chip *chip, unsigned int line, unsigned long config)
{
	switch (pinconf_to_config_param(config)) {
	case PIN_CONFIG_BIAS_PULL_UP:
		pulled_up |= BIT(line);
		return 0;
	case PIN_CONFIG_BIAS_PULL_DOWN:
	case PIN_CONFIG_BIAS_DISABLE:
		pulled_up &= ~BIT(line);
		return 0;
	default:
		return -ENOTSUPP;
	}
}

static const char *const names[LINES] = { "GPIO5", "GPIO6", "GPIO13", "GPIO19", "GPIO16", "GPIO20", "GPIO21", "GPIO26" };

static struct gpio_chip chip = {
	.label = "pinctrl-mux",
	.owner = THIS_MODULE,
	.base = -1,
	.ngpio = LINES,
	.names = names,
	.get_direction = mux_get_direction,
	.direction_input = mux_direction_input,
	.direction_output = mux_direction_output,
	.get = mux_get,
	.get_multiple = mux_get_multiple,
	.set = mux_set,
	.set_multiple = mux_set_multiple,
	.set_config = mux_set_config,
};

static int __init mux_stub_init(void)
{
	int result;

	pdev = platform_device_register_simple("mux_stub", -1, NULL, 0);
	if (IS_ERR(pdev))
		return PTR_ERR(pdev);
	chip.parent = &pdev->dev;
	result = gpiochip_add_data(&chip, NULL);
	if (result) {
		platform_device_unregister(pdev);
		return result;
	}

	folder = debugfs_create_dir("mux_stub", NULL);
	debugfs_create_x64("magnets", 0644, folder, &magnets);
	debugfs_create_u32("settle_ns", 0644, folder, &settle_ns);
	debugfs_create_u64("changes", 0444, folder, &changes);
	debugfs_create_u64("changed_ns", 0444, folder, &changed_ns);
	debugfs_create_u64("jumps", 0444, folder, &jumps);
	debugfs_create_u64("early", 0444, folder, &early);
	return 0;
}

static void __exit mux_stub_exit(void)
{
	debugfs_remove_recursive(folder);
	gpiochip_remove(&chip);
	platform_device_unregister(pdev);
}

module_init(mux_stub_init);
module_exit(mux_stub_exit);
MODULE_DESCRIPTION("Four analogue multiplexers with hall switches, for tests");
MODULE_LICENSE("Dual MIT/GPL");
