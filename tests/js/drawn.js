/** Measures the quality of a laid-out graph: crossings, length of edges, area, and edges behind boxes. */

const STEPS = 12;
/** Crossings of two edges with a common end do not count if they are closer than this to that end, in px. */
const NEAR = 6;

/** Converts joined cubic Bézier curves to a polyline. */
export function polyline(points) {
  const line = [points[0]];
  for (let piece = 0; piece + 3 < points.length; piece += 3) {
    const [a, b, c, d] = points.slice(piece, piece + 4);
    for (let step = 1; step <= STEPS; step += 1) {
      const t = step / STEPS;
      const mix = (axis) =>
        (1 - t) ** 3 * a[axis] +
        3 * (1 - t) ** 2 * t * b[axis] +
        3 * (1 - t) * t ** 2 * c[axis] +
        t ** 3 * d[axis];
      line.push([mix(0), mix(1)]);
    }
  }
  return line;
}

const turn = ([ax, ay], [bx, by], [cx, cy]) => (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
const far = ([ax, ay], [bx, by]) => Math.hypot(ax - bx, ay - by);

/** The number of crossings of two edges, given as polylines. Crossings near a common end do not count. */
function meetings(left, right) {
  const shared = [left[0], left.at(-1)].filter((end) =>
    [right[0], right.at(-1)].some((other) => far(end, other) < 30),
  );
  let count = 0;
  for (let i = 1; i < left.length; i += 1) {
    const [a, b] = [left[i - 1], left[i]];
    for (let j = 1; j < right.length; j += 1) {
      const [c, d] = [right[j - 1], right[j]];
      if (Math.max(a[0], b[0]) < Math.min(c[0], d[0]) || Math.max(c[0], d[0]) < Math.min(a[0], b[0]))
        continue;
      if (Math.max(a[1], b[1]) < Math.min(c[1], d[1]) || Math.max(c[1], d[1]) < Math.min(a[1], b[1]))
        continue;
      const isCrossed = turn(a, b, c) > 0 !== turn(a, b, d) > 0 && turn(c, d, a) > 0 !== turn(c, d, b) > 0;
      if (isCrossed && !shared.some((end) => far(end, a) < NEAR || far(end, b) < NEAR)) count += 1;
    }
  }
  return count;
}

/** Whether an edge, given as a polyline, runs behind a box. */
const isBehind = (line, { x, y, width, height }) =>
  line.some(([px, py]) => px > x + 1 && px < x + width - 1 && py > y + 1 && py < y + height - 1);

/**
 * Measures a layout: the number of crossings, its area, the total length of edges, and the number of edges
 * behind boxes.
 */
export function qualityOf({ width, height, boxes, edges }) {
  const lines = edges.map(({ from, to, points }) => ({ from, to, line: polyline(points) }));
  let [crossings, length, behind] = [0, 0, 0];
  for (const [at, { line, from, to }] of lines.entries()) {
    for (let next = 1; next < line.length; next += 1) length += far(line[next - 1], line[next]);
    for (const other of lines.slice(at + 1)) crossings += meetings(line, other.line);
    for (const box of boxes) if (box.key !== from && box.key !== to && isBehind(line, box)) behind += 1;
  }
  return { crossings, area: width * height, length, behind };
}

/** Draws a layout as an SVG with a rectangle for each box and a line for each edge. */
export function svgOf({ width, height, boxes, edges, frames }) {
  const rect = ({ x, y, width, height, shape }) =>
    `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${width}" height="${height.toFixed(1)}" rx="6" class="${shape ?? "frame"}"/>`;
  const name = ({ x, y, key }) => `<text x="${x + 6}" y="${y + 16}">${key}</text>`;
  const path = ({ points: [[x, y], ...rest] }) =>
    `<path d="M${x},${y}C${rest.map((point) => point.join()).join(" ")}"/>`;
  const style =
    "rect{fill:#eef;stroke:#446}.bucket{fill:#efe;stroke:#484}.frame{fill:none;stroke:#bbb}path{fill:none;stroke:#234}text{font:12px sans-serif}";
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><style>${style}</style>`,
    ...frames.map(rect),
    ...boxes.flatMap((box) => [rect({ ...box, height: box.body }), name(box)]),
    ...edges.map(path),
    "</svg>",
  ].join("\n");
}
