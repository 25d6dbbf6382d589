"""The style sheet of an FMU's page: light and dark, from phones to wide screens."""

STYLE = """
:root { color-scheme: light dark; --ink: #1c2733; --soft: #5b6b7b; --paper: #fff; --card: #f4f6f8; --line: #dde3e9; --accent: #2a6db0 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e9ee; --soft: #9dabb9; --paper: #14191f; --card: #1d242c; --line: #323c47; --accent: #7db4ea }
}
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 62rem; margin: 0 auto; padding: 1.5rem }
h1 { font-size: 2rem; line-height: 1.2; margin: 0.5rem 0; overflow-wrap: anywhere }
h2 { font-size: 1.15rem; margin: 2.2rem 0 0.6rem; padding-bottom: 0.3rem; border-bottom: 1px solid var(--line) }
a { color: var(--accent) }
.badges span { display: inline-block; font-size: 0.85rem; color: var(--accent); border: 1px solid; border-radius: 1rem;
  padding: 0.05rem 0.7rem; margin: 0 0.4rem 0.4rem 0 }
figure { margin: 0; padding: 0.5rem; background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem }
figure svg { display: block; width: 100%; max-height: 26rem }
.table { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; font-variant-numeric: tabular-nums }
th { color: var(--soft); font-weight: 600 }
td, th { padding: 0.3rem 1rem 0.3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
td:first-child { font-family: ui-monospace, monospace }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem; padding: 0.8rem 1rem; overflow-x: auto }
"""
