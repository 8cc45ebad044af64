"""The charts of one run of scripts/bench, as SVG: latency, throughput and memory."""
import math

WIDTH, HEIGHT = 670, 360
LEFT, RIGHT, TOP, BOTTOM = 70, 220, 40, 50
# Told apart also without colour vision; each line has its own dashes as well.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
DASHES = ("none", "8 3", "2 3", "10 3 2 3", "5 5", "1 4")


class Axis:
    """Values of one direction, from the first tick to the last."""

    def __init__(self, title, ticks, is_logarithmic=False, texts=None):
        self.title, self.ticks = title, ticks
        self.texts = texts or [number(tick) for tick in ticks]
        self.scale = math.log10 if is_logarithmic else float

    def part(self, value):
        """Where a value is, from 0 to 1."""
        first, last = self.scale(self.ticks[0]), self.scale(self.ticks[-1])
        return (self.scale(value) - first) / (last - first)


def number(value):
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def decades(values):
    """Powers of ten around all values."""
    low = math.floor(math.log10(min(values)))
    high = max(math.ceil(math.log10(max(values))), low + 1)
    return [10 ** power for power in range(low, high + 1)]


def even(values, count=5):
    """Round steps from 0 to above all values."""
    step = max(values) / count
    size = 10 ** math.floor(math.log10(step))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= step)
    return [step * index for index in range(math.ceil(max(values) / step) + 1)]


def chart(title, across, up, lines):
    """lines: (name, [(x, y), ...])."""
    def x(value):
        return LEFT + across.part(value) * (WIDTH - LEFT - RIGHT)

    def y(value):
        return HEIGHT - BOTTOM - up.part(value) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" font-size="12" role="img" aria-label="{title}">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        text(LEFT, 22, title, 'font-size="14" font-weight="bold"')]
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    for tick, label in zip(across.ticks, across.texts):
        parts.append(line(x(tick), TOP, x(tick), bottom))
        parts.append(text(x(tick), bottom + 16, label, 'text-anchor="middle"'))
    for tick, label in zip(up.ticks, up.texts):
        parts.append(line(LEFT, y(tick), right, y(tick)))
        parts.append(text(LEFT - 6, y(tick) + 4, label, 'text-anchor="end"'))
    parts.append(text((LEFT + right) / 2, HEIGHT - 12, across.title, 'text-anchor="middle"'))
    parts.append(text(
        0, 0, up.title,
        f'text-anchor="middle" transform="translate(16 {(TOP + bottom) / 2:g}) rotate(-90)"'))
    for index, (name, points) in enumerate(lines):
        look = (f'stroke="{COLORS[index % len(COLORS)]}" stroke-width="2" fill="none" '
                f'stroke-dasharray="{DASHES[index % len(DASHES)]}"')
        places = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in points)
        parts.append(f'<polyline points="{places}" {look}/>')
        height = TOP + 12 + 20 * index
        parts.append(f'<path d="M{right + 12} {height}h26" {look}/>')
        parts.append(text(right + 44, height + 4, name))
    return "\n".join(parts + ["</svg>", ""])


def text(x, y, content, more=""):
    return f'<text x="{x:g}" y="{y:g}" fill="#222" {more}>{content}</text>'.replace(" >", ">")


def line(x1, y1, x2, y2):
    return (f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="#ddd"/>')


def latency(peers):
    lines = [
        (row["name"], [(100 - each["percent"], each["microseconds"])
                       for each in row["percentiles"]]) for row in peers]
    shares = [50, 10, 1, 0.1]
    # Further to the right are fewer, so that the slowest have room.
    across = Axis("percentile", shares, True, ["50", "90", "99", "99.9"])
    up = Axis("microseconds", decades([b for _, points in lines for _, b in points]), True)
    return chart("Latency, one at a time", across, up, lines)


def throughput(peers):
    lines = [
        (row["name"], [(each["inFlight"], each["roundTripsPerSecond"])
                       for each in row["windows"]]) for row in peers]
    across = Axis("under way at once", [1, 10, 100, 1000], True)
    up = Axis("per second", decades([b for _, points in lines for _, b in points]), True)
    return chart("Throughput", across, up, lines)


def memory(restart):
    points = [(each["open"], each["presenterBytes"] / 1e6)
              for each in restart["presenterMemory"]]
    across = Axis("open presentations", even([a for a, _ in points]))
    up = Axis("MB resident", even([b for _, b in points]))
    return chart("Memory of the presenter", across, up, [("ErrorBus", points)])


def write(found, folder):
    peers = [row for row in found.values() if "percentiles" in row]
    for name, content in (
            ("latency", latency(peers)), ("throughput", throughput(peers)),
            ("memory", memory(found["restart"]))):
        (folder / f"{name}.svg").write_text(content, encoding="utf-8")
