/** The previous address of the page of queues and jobs, whose view was in the same parameters. */
import { z } from "zod";
import { redirectReply } from "../http/pages/pages.ts";
import { route, type Route } from "../http/route.ts";

const part = z.string().max(300).optional();

export function workersPageRoutes(): Route[] {
  return [
    route({
      method: "get",
      path: "/admin/workers",
      summary: "Previous address of the page of queues and jobs: redirects to it",
      tag: "Pages",
      auth: "optional",
      produces: "text/html",
      query: z.object({ queue: part, state: part, range: part, job: part }),
      async handle({ query }) {
        const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
        const search = new URLSearchParams(given).toString();
        return redirectReply(`/admin/jobs${search === "" ? "" : `?${search}`}`);
      },
    }),
  ];
}
