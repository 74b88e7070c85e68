/** Versions that wait for a review, and decisions about them. */
import semver from "semver";
import { limits } from "../../../contract/limits.ts";
import type { ReviewPayload, WaitingReviewPayload } from "../../../contract/payloads/skills/reviews.ts";
import { countText } from "../../../contract/text/count-text.ts";
import { openReviewCalls } from "../../api/calls/review.ts";
import { orgFlag } from "../../api/choose-organization.ts";
import { collectPages } from "../../api/pages.ts";
import { fits } from "../../api/shapes.ts";
import { parseLimit } from "../../arguments/limit-flag.ts";
import { parsePinnedRef } from "../../arguments/pins.ts";
import { defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError, invalidArgument } from "../../errors.ts";
import { qualifiedName } from "../../install/publisher.ts";
import { presentNamed } from "../../present.ts";
import { factLines, readReviewFacts } from "../../publish/review-facts.ts";
import { openOrganization } from "../../state/open-organization.ts";
import { openSession } from "../../state/session.ts";
import { escapeLine } from "../../terminal/escape-control.ts";
import { plainLine, renderTable } from "../../terminal/table.ts";

const defaultLimit = 20;
const followed = { version: "whole", semver: "text" } as const;
const version = {
  required: true,
  description: "The skill with an exact version: code-review@1.2.0",
} as const;
const comment = { short: "m", value: "required", hint: "text", description: "A sentence to it" } as const;

export const reviewList = defineCommand({
  positionals: {},
  flags: {
    org: orgFlag,
    limit: { value: "required", hint: "n", description: `At most this many (default ${defaultLimit})` },
  },
  examples: ["svc review list", "svc review list --org acme -o json"],
  async run(context, args) {
    const wanted = parseLimit(args.limit, defaultLimit);
    const { client, organization } = await openOrganization(
      context,
      args,
      "The reviews of which organization?",
    );
    const calls = openReviewCalls(client.options);
    const limit = Math.min(wanted, limits.pageSizeMax);
    const { items } = await collectPages((cursor) => calls.list(organization.id, { limit, cursor }), wanted);
    const text = renderTable(
      ["VERSION", "APPROVALS", "PUBLISHED", "YOU", "MESSAGE"],
      items.map((item) => [
        `${item.skill.tenantSlug}/${item.skill.slug}@${item.version.semver}`,
        `${item.approvals} of ${item.needed}`,
        item.version.createdAt.slice(0, 10),
        item.mayDecide ? "may decide" : "",
        item.version.message,
      ]),
      { columns: context.output.columns, paintHead: (head) => context.output.paint("bold", head) },
    );
    return {
      data: { organization, reviews: items.map(presentWaiting) },
      text: items.length === 0 ? "No version waits for a review." : text,
    };
  },
});

export const reviewShow = defineCommand({
  positionals: { version },
  flags: {},
  examples: ["svc review show code-review@1.2.0"],
  async run(context, args) {
    const { calls, options, publicId, wanted } = await openReview(context, args.version);
    const [review, facts] = await Promise.all([
      calls.read(publicId, wanted),
      readReviewFacts(options, publicId, wanted),
    ]);
    const { data, text } = presented(review);
    const { skill, follows, readers } = review;
    // Services of earlier versions name no version to compare it with.
    const before = fits(follows, followed) ? follows : null;
    const command = before && `svc diff ${qualifiedName(skill)} ${before.semver} ${wanted}`;
    return {
      data: {
        ...data,
        follows: before && { version: before.version, semver: before.semver },
        ...facts,
      },
      text: [
        text,
        `  Readers: ${countText(readers, "member")}`,
        ...factLines(facts),
        ...(command === null ? [] : [`  Changes: ${plainLine(command)}`]),
      ].join("\n"),
    };
  },
});

export const reviewApprove = defineCommand({
  positionals: { version },
  flags: { comment },
  examples: ["svc review approve code-review@1.2.0", 'svc review approve acme/code-review@2.0.0 -m "Fine"'],
  async run(context, args) {
    const { calls, publicId, wanted } = await openReview(context, args.version);
    return presented(await calls.decide(publicId, wanted, { decision: "approve", comment: args.comment }));
  },
});

export const reviewReject = decisionWithReason("reject", [
  'svc review reject code-review@1.2.0 -m "The script deletes files"',
]);

export const reviewOverride = decisionWithReason("override", [
  'svc review override code-review@1.2.0 -m "The address is our own mirror"',
]);

function decisionWithReason(decision: "reject" | "override", examples: string[]) {
  return defineCommand({
    positionals: { version },
    flags: { comment: { ...comment, description: "Why (required)" } },
    examples,
    async run(context, args) {
      if (args.comment === undefined)
        throw invalidArgument("--comment", `Say why: svc review ${decision} <skill>@<version> -m "…".`);
      const { calls, publicId, wanted } = await openReview(context, args.version, decision === "override");
      return presented(await calls.decide(publicId, wanted, { decision, comment: args.comment }));
    },
  });
}

/** `mayAdminister`: the version may be one that only an administrator of the service releases, and can't resolve. */
async function openReview(context: Context, argument: string, mayAdminister = false) {
  const { ref, range: wanted } = parsePinnedRef(argument, "<version>");
  if (semver.valid(wanted) === null)
    throw invalidArgument("<version>", "Name an exact version: <skill>@<version>.");
  const { client } = await openSession(context);
  const calls = openReviewCalls(client.options);
  try {
    const { skill } = await client.resolve(ref, wanted);
    return { calls, options: client.options, publicId: skill.publicId, wanted };
  } catch (error) {
    const isMissing = error instanceof CliError && error.code === "E_NOT_FOUND";
    if (!isMissing || !mayAdminister || !/^[^/:]+\/[^/:]+$/.test(ref)) throw error;
    return { calls, options: client.options, publicId: ref.replace("/", "~"), wanted };
  }
}

function presentWaiting({ skill, version: held, approvals, needed, mayDecide }: WaitingReviewPayload) {
  const { semver: number, message, createdAt, state } = held;
  return {
    skill: presentNamed(skill),
    version: { version: held.version, semver: number, message, createdAt },
    state,
    approvals,
    needed,
    mayDecide,
  };
}

function presented(review: ReviewPayload) {
  const { skill, readers, entries, refusal } = review;
  const waiting = presentWaiting(review);
  const name = `${plainLine(skill.name)} (${skill.tenantSlug}/${skill.slug}) ${waiting.version.semver}`;
  const lines = entries.map(({ kind, by, text, path, line }) => {
    const at = path === undefined ? "" : ` ${path}${line === undefined ? "" : `:${line}`}`;
    return escapeLine(`  ${by.username} ${kind}${at}${text === undefined ? "" : `: ${text}`}`);
  });
  const stateText = [
    ...(review.version.held?.includes("review")
      ? [`waits with ${waiting.approvals} of ${waiting.needed} approvals`]
      : []),
    ...(review.version.held?.includes("scan") ? ["is held because of its scan"] : []),
    ...(waiting.state === "held" ? [] : [`is ${waiting.state}`]),
  ].join(" and ");
  return {
    data: {
      ...waiting,
      readers,
      refusal,
      entries: entries.map(({ kind, by, text, path, line, at }) => ({
        kind,
        by: by.username,
        text,
        path,
        line,
        at,
      })),
    },
    text: [`${name} ${stateText}.`, ...lines].join("\n"),
  };
}
