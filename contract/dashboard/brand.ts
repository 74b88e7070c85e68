/** Name and mark of the service on the dashboard, on pages without script and in mails. */
export const brandName = "Skill registry";

/** Parts of the mark, in a square of 18 units: three lines and a ring on a plate. */
export const brandMark = {
  plate: { x: 1, y: 1, width: 16, height: 16, rx: 4.5 },
  lines: "M5 6.2h8M5 9h5.4M5 11.8h2.8",
  ring: { cx: 12.4, cy: 11.8, r: 1.5 },
};

const attributes = (values: Record<string, number>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${value}"`)
    .join("");

/** The mark as a picture, dark on light pages and light on dark ones. */
export const brandIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 18 18">
<style>rect { fill: #1b1916; } path, circle { stroke: #fff; fill: none; }
@media (prefers-color-scheme: dark) { rect { fill: #eeecea; } path, circle { stroke: #11100e; } }</style>
<rect${attributes(brandMark.plate)}/>
<path d="${brandMark.lines}" stroke-width="1.6" stroke-linecap="round"/>
<circle${attributes(brandMark.ring)} stroke-width="1.4"/></svg>
`;
