// Runs after Mermaid in a frame without an origin, and draws what its parent sends
// (web/src/parts/markdown/diagrams.ts).
(() => {
  const { mermaid } = globalThis;
  const report = (message) => parent.postMessage(message, "*");
  async function draw({ text, isDark }) {
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: "strict",
      suppressErrorRendering: true,
      theme: isDark ? "dark" : "neutral",
      maxTextSize: 20_000,
      maxEdges: 300,
    });
    const { svg } = await mermaid.render("diagram", String(text));
    document.body.innerHTML = svg;
    const { width, height } = document.querySelector("svg").viewBox.baseVal;
    report({ kind: "drawn", width, height });
  }
  addEventListener("message", ({ source, data }) => {
    if (source === parent) draw(data).catch(() => report({ kind: "failed" }));
  });
  report({ kind: "ready" });
})();
