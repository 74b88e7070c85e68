/** The frame of the dashboard that draws the diagrams of strangers, without an origin (`web/public/diagram.js`). */
import { nothingAt } from "../../errors.ts";
import { html } from "../pages/html.ts";
import { Reply, route, type Route } from "../route.ts";
import { diagramPolicy } from "../service/security.ts";
import type { FrontEnd } from "./front-end.ts";

const path = "/assets/diagram";
/** Name of its script among the assets. */
export const diagramScript = /^diagram-[\w-]+\.js$/;

/** The page of the frame. It is the same for everyone, and draws what its parent sends. */
export function diagramRoute(frontEnd: () => Promise<FrontEnd>): Route {
  return route({
    method: "get",
    path,
    summary: "Frame of the dashboard that draws diagrams",
    tag: "Pages",
    auth: "none",
    produces: "text/html",
    async handle() {
      const name = [...(await frontEnd()).assets.keys()].find((one) => diagramScript.test(one));
      if (name === undefined) throw nothingAt(path);
      return new Reply(frame(name), {
        type: "text/html; charset=utf-8",
        headers: {
          "content-security-policy": diagramPolicy,
          "x-frame-options": "SAMEORIGIN",
          // A frame without an origin can't be keyed by one.
          "origin-agent-cluster": "?0",
          "cache-control": "no-cache",
        },
      });
    },
  });
}

const frame = (script: string) =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="color-scheme" content="light dark" />
        <title>Diagram</title>
        <style>
          body {
            margin: 0;
          }
          svg {
            display: block;
            width: 100%;
            height: auto;
          }
        </style>
      </head>
      <body>
        <script src="/assets/app/${script}"></script>
      </body>
    </html>`.toString();
