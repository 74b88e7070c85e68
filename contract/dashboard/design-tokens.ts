/**
 * Design tokens of all pages: the dashboard's and the server-rendered ones. One list for both schemes, since
 * `light-dark()` follows the color scheme of the root element. Every text color reaches 4.5:1 on every surface it may
 * stand on, and `--line-control` 3:1.
 */
const tokens = {
  // Surfaces, from the page up. Tone and a hairline show depth; only what floats has a shadow.
  canvas: "light-dark(#f9f7f5, #11100e)",
  surface: "light-dark(#ffffff, #181715)",
  raised: "light-dark(#ffffff, #201e1c)",
  sunken: "light-dark(#f5f3f1, #131210)",
  hover: "light-dark(#f1f0ed, #22201e)",
  press: "light-dark(#eae7e4, #2c2a27)",
  line: "light-dark(#e5e4e1, #2c2b28)",
  "line-strong": "light-dark(#d1cfcb, #413f3c)",
  "line-control": "light-dark(#8d8a85, #74716c)",

  // Text: ink for what is read, ink-2 for what supports it, ink-3 for labels and times.
  ink: "light-dark(#1b1916, #eeecea)",
  "ink-2": "light-dark(#4a4744, #c0bdb9)",
  "ink-3": "light-dark(#686560, #9c9994)",
  "on-ink": "light-dark(#ffffff, #11100e)",

  // One accent: links, focus, selection, switches. Primary buttons are ink.
  accent: "light-dark(#00648f, #66c3eb)",
  "accent-fill": "light-dark(#00648f, #3ea4d3)",
  "accent-tint": "light-dark(#e2f3fc, #152c39)",
  "accent-line": "light-dark(#a1cfe8, #1f536d)",
  "on-accent": "light-dark(#ffffff, #11100e)",

  // States. Never color alone: each has an icon or a word next to it.
  ok: "light-dark(#176938, #6fd395)",
  "ok-tint": "light-dark(#eaf9ee, #142c1f)",
  warn: "light-dark(#875306, #edbb6a)",
  "warn-tint": "light-dark(#fff2d9, #352714)",
  "warn-line": "light-dark(#efcc8c, #694d22)",
  danger: "light-dark(#b12725, #f58e8a)",
  "danger-tint": "light-dark(#ffeeec, #3d1d1c)",
  "danger-line": "light-dark(#ffbebb, #7d3c3b)",
  violet: "light-dark(#6a499b, #c6abf0)",
  "violet-tint": "light-dark(#f4effd, #2b2338)",
  "violet-line": "light-dark(#d8c8f3, #54436d)",
  "add-row": "light-dark(#eafaef, #14231b)",
  "del-row": "light-dark(#ffefee, #2d1b1a)",
  "add-word": "light-dark(#abe9bf, #134b30)",
  "del-word": "light-dark(#ffcbc8, #72302e)",

  "shadow-float":
    "0 0 0 1px light-dark(rgb(27 25 22 / 8%), rgb(0 0 0 / 60%)), 0 8px 24px -6px light-dark(rgb(27 25 22 / 18%), rgb(0 0 0 / 70%))",
  focus: "0 0 0 2px var(--surface), 0 0 0 4px var(--accent-fill)",

  font: '"Geist", ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  mono: '"JetBrains Mono", ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace',

  // Type: 12 meta, 13 controls and tables, 14 text, 15 reading, 16/20/24 headings.
  "t-meta": "0.75rem",
  "t-ui": "0.8125rem",
  "t-text": "0.875rem",
  "t-read": "0.9375rem",
  "t-h3": "1rem",
  "t-h2": "1.25rem",
  "t-h1": "1.5rem",

  // Space in steps of 4.
  s1: "4px",
  s2: "8px",
  s3: "12px",
  s4: "16px",
  s5: "20px",
  s6: "24px",

  // Corners: 4 marks, 6 controls, 10 panels and overlays.
  "r-mark": "4px",
  "r-control": "6px",
  "r-panel": "10px",

  // Height of rows, which narrow windows raise, and widths.
  row: "36px",
  sidebar: "232px",
  rail: "300px",
  reading: "760px",
  page: "1240px",
};

/** The tokens as custom properties of a style sheet. */
export const designTokens = `:root { color-scheme: light dark; ${Object.entries(tokens)
  .map(([name, value]) => `--${name}: ${value};`)
  .join(" ")} }
`;
