/** The style sheet of the server-rendered pages: one file, system fonts, light and dark. */
export const pageStyle = `:root {
  --ink: #1b1f24;
  --soft: #57606a;
  --line: #d0d7de;
  --paper: #ffffff;
  --sheet: #f6f8fa;
  --accent: #0b5fc0;
  --on-accent: #ffffff;
  --bad: #a40e26;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6edf3;
    --soft: #9aa5b1;
    --line: #3a424c;
    --paper: #0d1117;
    --sheet: #161b22;
    --accent: #6cb0ff;
    --on-accent: #08111d;
    --bad: #ff9492;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  background: var(--paper);
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
}
header nav, header form { display: flex; gap: 0.75rem; align-items: center; margin: 0; }
.home { color: inherit; font-weight: 600; text-decoration: none; }
main { max-width: 34rem; margin: 2rem auto; padding: 0 1.25rem; overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
a { color: var(--accent); }
small, .soft { color: var(--soft); font-size: 0.875rem; }
.field { display: grid; gap: 0.25rem; margin: 0 0 1rem; }
.field label { font-weight: 600; }
input {
  width: 100%;
  padding: 0.5rem 0.625rem;
  border: 1px solid var(--soft);
  border-radius: 6px;
  background: var(--paper);
  color: inherit;
  font: inherit;
}
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
.code { margin: 0 0 1rem; font: 600 2rem/1.2 ui-monospace, monospace; letter-spacing: 0.08em; }
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
