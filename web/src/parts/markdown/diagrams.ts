/**
 * Mermaid diagrams. Each is drawn by a page of the service in a frame without an origin, where it can reach neither
 * this page nor the network. The page reports the size of its drawing and nothing else.
 */

/** Limits of one text: what is beyond them stays code. */
const limits = { diagrams: 20, characters: 20_000 };
const maxPixels = 4000;
/** Time that a diagram may take before its code is shown. */
const drawMs = 20_000;
const frameAddress = "/assets/diagram";

interface Message {
  kind: "ready" | "drawn" | "failed";
  width?: unknown;
  height?: unknown;
}

interface Diagram {
  figure: HTMLElement;
  frame: HTMLIFrameElement;
  block: HTMLElement;
  text: string;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** Draws diagrams when they come into view. Returns a function that stops listening to their frames. */
export function drawDiagrams(blocks: readonly HTMLElement[]): () => void {
  const diagrams = blocks
    .filter(({ textContent }) => textContent.length <= limits.characters)
    .slice(0, limits.diagrams)
    .map(openDiagram);
  const receive = ({ data, source }: MessageEvent<Message>) => {
    const diagram = diagrams.find(
      ({ frame }) => frame.contentWindow !== null && frame.contentWindow === source,
    );
    if (!diagram) return;
    if (data.kind === "ready") send(diagram);
    else if (data.kind === "drawn") show(diagram, data);
    else if (data.kind === "failed") fail(diagram);
  };
  addEventListener("message", receive);
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        const diagram = diagrams.find(({ figure }) => figure === target);
        if (!isIntersecting || !diagram) continue;
        seen.unobserve(target);
        diagram.frame.src = frameAddress;
        diagram.timer = setTimeout(() => fail(diagram), drawMs);
      }
    },
    { root: diagrams[0]?.figure.closest("#main") ?? null, rootMargin: "400px" },
  );
  for (const { figure } of diagrams) seen.observe(figure);
  const scheme = new MutationObserver(() => diagrams.forEach(send));
  scheme.observe(document.documentElement, { attributeFilter: ["data-mantine-color-scheme"] });
  return () => {
    removeEventListener("message", receive);
    seen.disconnect();
    scheme.disconnect();
    for (const { timer } of diagrams) clearTimeout(timer);
  };
}

/** A figure with an empty frame, and the code below it. */
function openDiagram(code: HTMLElement): Diagram {
  const block = code.closest<HTMLElement>(".code-box") ?? code;
  const figure = document.createElement("figure");
  figure.className = "diagram";
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.title = "Diagram";
  frame.tabIndex = -1;
  const source = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = "Source of the diagram";
  source.append(summary);
  block.replaceWith(figure);
  source.append(block);
  figure.append(frame, source);
  return { figure, frame, block, text: code.textContent, timer: undefined };
}

function send({ frame, text }: Diagram): void {
  const isDark = document.documentElement.dataset["mantineColorScheme"] === "dark";
  // The frame has no origin that could be named.
  frame.contentWindow?.postMessage({ text, isDark }, "*");
}

function show({ figure, frame, timer }: Diagram, { width, height }: Message): void {
  clearTimeout(timer);
  const sizeOf = (value: unknown) => Math.round(Math.min(maxPixels, Math.max(1, Number(value) || 1)));
  const [w, h] = [sizeOf(width), sizeOf(height)];
  frame.style.width = `min(100%, ${w}px)`;
  frame.style.aspectRatio = `${w} / ${h}`;
  figure.dataset["state"] = "drawn";
}

/** Puts the code in the place of a diagram that can't be drawn. */
function fail({ figure, block, timer }: Diagram): void {
  clearTimeout(timer);
  if (!figure.isConnected || figure.dataset["state"] === "drawn") return;
  const note = document.createElement("p");
  note.className = "meta";
  note.textContent = "This diagram can't be drawn.";
  figure.replaceWith(block, note);
}
