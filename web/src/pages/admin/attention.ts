import type { LinkProps } from "@tanstack/react-router";
import { countText } from "../../../../contract/text/count-text.ts";
import type { AdminConnection, Queue, ServiceHealth } from "../../api/admin.ts";
import type { Check } from "./health-checks.tsx";
import { queueTitle } from "./jobs/titles.ts";

export interface AttentionItem {
  text: string;
  tone: "danger" | "warn";
  link?: Pick<LinkProps, "to" | "search">;
  /** Text of the link. */
  label?: string;
}

interface Sources {
  queues: Queue[];
  checks: Check[];
  conditions: ServiceHealth["conditions"];
  /** The first page, on which those with a problem come first. */
  connections: AdminConnection[];
  reports: Many;
  held: Many;
}

/** Items of the first page of a list. */
interface Many {
  count: number;
  isMore: boolean;
}

/** A condition that the queues tell about, too, with the number of jobs. */
const failedJob = "job-failed ";

const manyText = ({ count, isMore }: Many, one: string) =>
  isMore ? `More than ${count} ${one}s` : countText(count, one);

/** Items that an administrator has to look at, the most urgent first. */
export function attentionOf({
  queues,
  checks,
  conditions,
  connections,
  reports,
  held,
}: Sources): AttentionItem[] {
  const broken = checks.filter(({ isOk }) => !isOk);
  const blocked = connections.filter(({ status }) => status === "blocked");
  const failing = connections.filter(({ status }) => status === "failing");
  return [
    ...broken.map(({ name, detail }): AttentionItem => ({
      text: `${name}: ${detail}`,
      tone: "danger",
      link: { to: "/admin/health" },
      label: "Health",
    })),
    ...queues
      .filter(({ counts }) => counts.failed > 0)
      .map(({ name, counts }): AttentionItem => ({
        text: `${countText(counts.failed, "job")} failed in ${queueTitle(name)}.`,
        tone: "danger",
        link: { to: "/admin/jobs", search: { queue: name } },
        label: "Look at them",
      })),
    ...conditions
      .filter(({ condition }) => !condition.startsWith(failedJob))
      .map(({ text }): AttentionItem => ({ text, tone: "warn" })),
    ...queues
      .filter(({ paused }) => paused)
      .map(({ name }): AttentionItem => ({
        text: `The queue ${queueTitle(name)} is paused.`,
        tone: "warn",
        link: { to: "/admin/jobs", search: { queue: name } },
        label: "Resume it",
      })),
    ...connectionItem(
      blocked,
      "blocked: its organization has to act",
      "blocked: their organizations have to act",
    ),
    ...connectionItem(failing, "failing and retried", "failing and retried"),
    ...(held.count > 0
      ? [
          {
            text:
              `${manyText(held, "malicious version")} of public or unlisted skills ` +
              (held.count === 1 ? "is held." : "are held."),
            tone: "warn" as const,
            link: { to: "/admin/held-versions" as const },
            label: "Look at them",
          },
        ]
      : []),
    ...(reports.count > 0
      ? [
          {
            text:
              `${manyText(reports, "report")} about skills ` +
              `${reports.count === 1 ? "waits" : "wait"} for an answer.`,
            tone: "warn" as const,
          },
        ]
      : []),
  ];
}

function connectionItem(connections: AdminConnection[], one: string, many: string): AttentionItem[] {
  const [first] = connections;
  if (!first) return [];
  const name = first.organization?.slug ?? first.repository;
  const text =
    connections.length === 1
      ? `The connection of ${name} is ${one}.`
      : `${countText(connections.length, "connection")}, such as that of ${name}, are ${many}.`;
  return [{ text, tone: "warn", link: { to: "/admin/connections" }, label: "Connections" }];
}
