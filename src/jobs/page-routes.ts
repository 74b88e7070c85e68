/**
 * `/admin/workers`: the shell of the page, which its front end (`web/admin`) fills by the administrators' interface.
 */
import { z } from "zod";
import { metricRanges } from "../../contract/vocabulary.ts";
import { administers } from "../access/decide.ts";
import { notFound } from "../errors.ts";
import { html } from "../http/html.ts";
import { pageReply, redirectReply } from "../http/pages.ts";
import { Reply, route, type Route } from "../http/route.ts";
import { readFrontEnd } from "./front-end.ts";

const page = { method: "get", tag: "Pages", auth: "optional" } as const;
const address = "/admin/workers";
const rangeNames = { hour: "Last hour", day: "Last day", week: "Last week" };

export function workersPageRoutes(): Route[] {
  // Read once: a new build is served by the next process.
  let read: ReturnType<typeof readFrontEnd> | undefined;
  const frontEnd = () => (read ??= readFrontEnd());
  return [
    route({
      ...page,
      path: address,
      summary: "The page of the service's workers, for its administrators",
      produces: "text/html",
      async handle({ actor }) {
        if (actor.kind === "anonymous") return redirectReply(`/sign-in?return_to=${address}`);
        const signedInAs = actor.kind === "user" ? actor.name : undefined;
        if (!administers(actor)) {
          const body = html`<p>There is nothing here.</p>`;
          return pageReply({ title: "Not found", signedInAs, body }, { status: 404 });
        }
        const files = await frontEnd();
        if (!files) {
          read = undefined;
          const body = html`<p class="alert">This page was not built: run <code>npm run build</code>.</p>`;
          return pageReply({ title: "Workers", signedInAs, body }, { status: 503 });
        }
        return pageReply({
          title: "Workers",
          signedInAs,
          body: shell(),
          frontEnd: {
            style: `/assets/admin/${files.style.name}`,
            script: `/assets/admin/${files.script.name}`,
          },
        });
      },
    }),
    route({
      ...page,
      path: "/assets/admin/:file",
      summary: "A file of the workers' page",
      params: z.object({ file: z.string().max(100) }),
      produces: "text/javascript",
      async handle({ params }) {
        const files = await frontEnd();
        const file = [files?.script, files?.style].find((one) => one?.name === params.file);
        if (!file) throw notFound("path", `/assets/admin/${params.file}`);
        const headers = { "cache-control": "public, max-age=31536000, immutable" };
        return new Reply(file.bytes, { type: file.type, headers });
      },
    }),
  ];
}

function shell() {
  return html`
    <p id="live" class="live off" role="status">Connecting…</p>
    <noscript
      ><p class="alert">
        This page needs JavaScript. The same is at /api/admin (docs/reference/workers.md).
      </p></noscript
    >
    <p id="message" role="status" aria-live="polite"></p>
    <section aria-labelledby="queues-title">
      <h2 id="queues-title">Queues</h2>
      <div id="queues"><p class="soft">Reading…</p></div>
    </section>
    <section aria-labelledby="plot-title">
      <div class="bar">
        <h2 id="plot-title">Over time</h2>
        <div class="actions" role="group" aria-label="Time span">
          ${metricRanges.map(
            (range) =>
              html`<button
                id="range-${range}"
                class="second small"
                data-act="range"
                data-range="${range}"
                aria-pressed="false"
              >
                ${rangeNames[range]}
              </button>`,
          )}
        </div>
      </div>
      <div id="plot"><p class="soft">Reading…</p></div>
    </section>
    <section aria-labelledby="jobs-title">
      <div class="bar">
        <h2 id="jobs-title">Jobs</h2>
        <p class="choice">
          <label for="queue">Queue</label>
          <select id="queue"></select>
        </p>
      </div>
      <div id="tabs" role="tablist" aria-label="State of the jobs"></div>
      <div id="jobs" role="tabpanel" tabindex="-1"><p class="soft">Reading…</p></div>
    </section>
    <section aria-labelledby="connections-title">
      <h2 id="connections-title">Connections</h2>
      <div id="connections"><p class="soft">Reading…</p></div>
    </section>
    <section aria-labelledby="acts-title">
      <h2 id="acts-title">Admin activity</h2>
      <div id="acts"><p class="soft">Reading…</p></div>
    </section>
    <section aria-labelledby="health-title">
      <h2 id="health-title">System health</h2>
      <div id="health"><p class="soft">Reading…</p></div>
    </section>
    <dialog id="job" aria-labelledby="job-title"></dialog>
    <dialog id="question" aria-labelledby="question-title"></dialog>
  `;
}
