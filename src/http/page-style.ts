/** The look of the server-rendered pages: a style sheet with system fonts, light and dark, and the mark. */

/** The logo: three versions on top of each other. Also the icon of a browser tab, so it has its own background. */
export const pageIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#0b5fc0"/>
<g fill="none" stroke="#fff" stroke-width="2.4" stroke-linejoin="round" stroke-linecap="round">
<path d="M16 6.5 25.5 11 16 15.5 6.5 11Z" fill="#fff"/><path d="m6.5 16 9.5 4.5 9.5-4.5"/><path d="m6.5 21 9.5 4.5 9.5-4.5"/>
</g></svg>
`;

export const pageStyle = `:root {
  --ink: #1b1f24;
  --soft: #57606a;
  --line: #d0d7de;
  --paper: #ffffff;
  --sheet: #f6f8fa;
  --shade: 0 1px 3px rgb(27 31 36 / 8%);
  --accent: #0b5fc0;
  --on-accent: #ffffff;
  --bad: #a40e26;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6edf3;
    --soft: #9aa5b1;
    --line: #3a424c;
    --paper: #161b22;
    --sheet: #0d1117;
    --shade: none;
    --accent: #6cb0ff;
    --on-accent: #08111d;
    --bad: #ff9492;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  background: var(--sheet);
  color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif;
}
header {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem 1rem;
  justify-content: space-between;
  align-items: center;
  padding: 0.75rem 1.25rem;
  border-bottom: 1px solid var(--line);
  background: var(--paper);
}
header nav, header form { display: flex; gap: 0.75rem; align-items: center; margin: 0; }
.home { display: flex; gap: 0.625rem; align-items: center; color: inherit; font-weight: 600; text-decoration: none; }
.home img { display: block; }
main {
  max-width: 36rem;
  margin: 2.5rem auto;
  padding: 2rem;
  border: 1px solid var(--line);
  border-radius: 12px;
  background: var(--paper);
  box-shadow: var(--shade);
  overflow-wrap: anywhere;
}
main > :last-child, main > form > :last-child { margin-bottom: 0; }
main > form + p { margin-top: 1.25rem; }
@media (max-width: 40rem) {
  body { background: var(--paper); }
  main { margin: 0; padding: 1.5rem 1.25rem; border: 0; box-shadow: none; }
}
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1.125rem; line-height: 1.3; }
p, pre { margin: 0 0 1rem; }
a { color: var(--accent); }
small, .soft { color: var(--soft); font-size: 0.875rem; }
.field { display: grid; gap: 0.25rem; margin: 0 0 1rem; }
.field label { font-weight: 600; }
.check { display: grid; grid-template-columns: auto 1fr; gap: 0.25rem 0.625rem; align-items: baseline; }
.check input { width: auto; margin: 0; }
.check small { grid-column: 2; }
input, textarea {
  width: 100%;
  padding: 0.5rem 0.625rem;
  border: 1px solid var(--soft);
  border-radius: 6px;
  background: transparent;
  color: inherit;
  font: inherit;
}
input[type="radio"] { width: auto; }
fieldset { margin: 0 0 1rem; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 6px; }
fieldset p { margin: 0.25rem 0; }
legend { font-weight: 600; }
button {
  padding: 0.5rem 1rem;
  border: 1px solid var(--accent);
  border-radius: 6px;
  background: var(--accent);
  color: var(--on-accent);
  font: inherit;
  font-weight: 600;
  cursor: pointer;
}
button.second { background: transparent; color: var(--accent); }
button.plain { padding: 0; border: 0; background: none; color: var(--accent); font-weight: 400; text-decoration: underline; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.actions { display: flex; gap: 0.75rem; flex-wrap: wrap; }
.alert { padding: 0.625rem 0.875rem; border: 1px solid var(--bad); border-radius: 6px; color: var(--bad); }
.notice { padding: 0.625rem 0.875rem; border: 1px solid var(--line); border-radius: 6px; background: var(--sheet); }
.code {
  padding: 0.875rem;
  border: 1px solid var(--line);
  border-radius: 6px;
  background: var(--sheet);
  font: 600 2rem/1.2 ui-monospace, monospace;
  letter-spacing: 0.08em;
  text-align: center;
}
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; margin: 0 0 1rem; }
dt { color: var(--soft); }
dd { margin: 0; }
pre {
  overflow-x: auto;
  padding: 0.875rem;
  border: 1px solid var(--line);
  border-radius: 6px;
  background: var(--sheet);
  font: 0.875rem/1.6 ui-monospace, monospace;
}
`;
