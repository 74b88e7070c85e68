/** Routes of a repository that Git clients can clone and fetch from, and not push to. */
import { z } from "zod";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { forbidden } from "../errors.ts";
import { Reply, routesOf, type RequestInfo, type Route } from "../http/route.ts";
import { advertiseRefs, answerFetch, type OpenedRepository } from "./serve.ts";

const route = routesOf({ tag: "Git", auth: "optional" });
export const ServiceQuery = z.object({ service: z.string().max(100).optional() });
/** Responses depend on the caller, and change with every commit. */
const headers = {
  "cache-control": "no-cache, max-age=0, must-revalidate",
  vary: "authorization, git-protocol",
};
const protocolOf = (request: RequestInfo) => request.header("git-protocol");

interface Served<P extends z.ZodObject> {
  /** Ends in `.git`. */
  path: string;
  /** The repository, in the summaries of its routes, as in "a skill's repository". */
  named: string;
  params: P;
  /** How its content is changed, for those who push. */
  readOnly: string;
  /** Decides about access. `advertises`: for the refs, with which every fetch begins. */
  open(actor: Actor, params: z.output<P>, call: { advertises: boolean }): Promise<OpenedRepository>;
}

export function gitRoutes<P extends z.ZodObject>(
  app: App,
  { path, named, params: Params, readOnly, open }: Served<P>,
): Route[] {
  const refusePush = () => forbidden(readOnly);
  return [
    route({
      method: "get",
      path: `${path}/info/refs`,
      summary: `List the refs of ${named} for a Git client`,
      forGit: true,
      budget: "clone",
      params: Params,
      query: ServiceQuery,
      produces: "application/x-git-upload-pack-advertisement",
      async handle({ actor, params, query, request }) {
        if (query.service !== "git-upload-pack") {
          if (query.service === "git-receive-pack") throw refusePush();
          throw forbidden("Only the smart HTTP protocol is supported. Use Git 1.6.6 or newer.");
        }
        const repository = await open(actor, params as z.output<P>, { advertises: true });
        const call = { protocol: protocolOf(request) };
        return new Reply(await advertiseRefs(app, actor, repository, call), {
          type: "application/x-git-upload-pack-advertisement",
          headers,
        });
      },
    }),
    route({
      method: "post",
      path: `${path}/git-upload-pack`,
      summary: `Fetch objects of ${named}`,
      forGit: true,
      cookieless: true,
      stream: true,
      budget: "clone",
      params: Params,
      produces: "application/x-git-upload-pack-result",
      async handle({ actor, params, request }) {
        const repository = await open(actor, params as z.output<P>, { advertises: false });
        const call = {
          protocol: protocolOf(request),
          body: request.stream,
          encoding: request.header("content-encoding").toLowerCase(),
        };
        return new Reply(await answerFetch(app, actor, repository, call), {
          type: "application/x-git-upload-pack-result",
          headers,
        });
      },
    }),
    route({
      method: "post",
      path: `${path}/git-receive-pack`,
      summary: `Refuse a push to ${named}, which is read-only`,
      forGit: true,
      cookieless: true,
      stream: true,
      params: Params,
      produces: "text/plain",
      handle: () => Promise.reject(refusePush()),
    }),
  ];
}
