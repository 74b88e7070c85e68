import { CircleAlert, CircleCheck } from "lucide-react";
import { bytesText } from "../../../../contract/text/size-text.ts";
import type { ServiceHealth } from "../../api/admin.ts";
import { duration } from "./figures.ts";

export interface Check {
  name: string;
  isOk: boolean;
  detail: string;
}

const diskNames = { data: "Disk of the data", git: "Disk of the repositories" };

/** Engines, git and disks, each with its state. */
export function checksOf({ database, queue, git, outbound, restore, disks }: ServiceHealth): Check[] {
  const took = (ms: number | null) => (ms === null ? "" : `, answers in ${duration(ms)}`);
  return [
    { name: "Database", isOk: database.ok, detail: database.detail + took(database.ms) },
    { name: "Queue", isOk: queue.ok, detail: queue.detail + took(queue.ms) },
    { name: "Git", isOk: git.ok, detail: git.detail },
    { name: "Outbound requests", isOk: outbound.ok, detail: outbound.detail },
    { name: "Restore", isOk: restore.ok, detail: restore.detail },
    ...disks.map(({ name, ok, freeBytes, totalBytes }) => ({
      name: diskNames[name],
      isOk: ok,
      detail:
        freeBytes === null || totalBytes === null
          ? "It can't be read."
          : `${bytesText(freeBytes)} free of ${bytesText(totalBytes)}`,
    })),
  ];
}

export function HealthChecks({ checks }: { checks: Check[] }) {
  return (
    <ul className="checks" aria-label="Checks">
      {checks.map(({ name, isOk, detail }) => (
        <li key={name} className="check">
          <span className={isOk ? "row ok" : "row danger"}>
            {isOk ? <CircleCheck className="icon" /> : <CircleAlert className="icon" />}
            <b>{name}</b>
            <span>{isOk ? "OK" : "Problem"}</span>
          </span>
          <span className="sub error">{detail}</span>
        </li>
      ))}
    </ul>
  );
}
