/** `/s/{publicId}/report`: the form by which anyone reports a skill that anyone can read. */
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import { reportReasons, type ReportReason } from "../../../contract/vocabulary.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { problem } from "../../http/pages/fields.ts";
import { html } from "../../http/pages/html.ts";
import { pageReply } from "../../http/pages/pages.ts";
import { route, type Reply, type Route } from "../../http/route.ts";
import { loadOpenSkill } from "../load.ts";
import { reportSkill } from "./reports.ts";
import { ReportSkill } from "./schema.ts";

const PageParams = z.object({ publicId: z.string().max(64) });
/** Fields are taken as they come, so that the page can say what is wrong with them. */
const field = z
  .string()
  .max(limits.reportText * 4)
  .default("")
  .catch("");
const ReportForm = z.object({ reason: field, text: field });

const labels: Record<ReportReason, string> = {
  malware: "It is harmful: malware, or instructions that do damage",
  secrets: "It contains secrets or personal data",
  copyright: "It infringes a copyright or trademark",
  impersonation: "It pretends to be from someone else",
  abuse: "It is abusive or illegal",
  other: "Something else",
};

export function reportPageRoutes(app: App): Route[] {
  const page = { tag: "Pages", auth: "optional", params: PageParams, produces: "text/html" } as const;
  return [
    route({
      ...page,
      method: "get",
      path: "/s/:publicId/report",
      summary: "The form to report a skill",
      handle: ({ actor, params }) =>
        withSkill(app, actor, params.publicId, (skill) =>
          show(actor, `Report ${skill.name}`, form(skill, { reason: "", text: "" })),
        ),
    }),
    route({
      ...page,
      method: "post",
      path: "/s/:publicId/report",
      summary: "Report a skill from the form",
      form: true,
      body: ReportForm,
      budget: "report",
      handle: ({ actor, params, body }) =>
        withSkill(app, actor, params.publicId, async (skill) => {
          const input = ReportSkill.safeParse(body);
          if (!input.success) {
            const error =
              body.reason === ""
                ? "Choose a reason."
                : `The text must have at most ${limits.reportText} characters.`;
            return show(actor, `Report ${skill.name}`, form(skill, body, error), 400);
          }
          await reportSkill(app, actor, skill.publicId, input.data);
          return show(
            actor,
            "Thank you",
            html`<p>The administrators of this service will look at “<bdi>${skill.name}</bdi>”.</p>`,
          );
        }),
    }),
  ];
}

async function withSkill(
  app: App,
  actor: Actor,
  publicId: string,
  handle: (skill: SkillDoc) => Reply | Promise<Reply>,
): Promise<Reply> {
  let skill: SkillDoc;
  try {
    skill = await loadOpenSkill(app, actor, publicId);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "not_found") throw error;
    return show(actor, "Not found", html`<p>Skill not found, or it is not public.</p>`, 404);
  }
  return handle(skill);
}

function show(actor: Actor, title: string, body: ReturnType<typeof html>, status = 200): Reply {
  const signedInAs = actor.kind === "user" ? actor.name : undefined;
  return pageReply({ title, signedInAs, body }, { status });
}

function form(skill: SkillDoc, values: { reason: string; text: string }, error?: string) {
  return html`
    ${problem(error)}
    <p>
      Tell the administrators of this service what is wrong with “<bdi>${skill.name}</bdi>” of
      ${skill.tenantSlug}. Your report is not disclosed to its author.
    </p>
    <form method="post" action="/s/${skill.publicId}/report" enctype="multipart/form-data">
      <fieldset>
        <legend>Reason</legend>
        ${reportReasons.map(
          (reason) =>
            html`<p>
              <label
                ><input
                  type="radio"
                  name="reason"
                  value="${reason}"
                  required
                  ${values.reason === reason && html`checked`}
                />
                ${labels[reason]}</label
              >
            </p>`,
        )}
      </fieldset>
      <p class="field">
        <label for="text">Details <small>(optional)</small></label>
        <textarea id="text" name="text" rows="6" maxlength="${limits.reportText}">${values.text}</textarea>
      </p>
      <button>Send the report</button>
    </form>
  `;
}
