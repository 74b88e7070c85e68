import "../findings/findings.css";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert, Info, TriangleAlert } from "lucide-react";
import { countText } from "../../../../../contract/text/count-text.ts";
import { refOf } from "../../../api/skills/skills.ts";
import { scanQuery, type Scan } from "../../../api/skills/versions.ts";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { fileLink } from "../findings/file-link.ts";

interface Props {
  org: string;
  slug: string;
  semver: string;
}

const icons = {
  note: { Icon: Info, tone: "dim" },
  suspicious: { Icon: TriangleAlert, tone: "warn" },
  malicious: { Icon: CircleAlert, tone: "danger" },
};

const verdicts = {
  clean: "The scan found nothing.",
  notes: "The scan found only what is worth knowing.",
  suspicious: "The scan found it suspicious.",
  malicious: "The scan found it malicious.",
  failed: "The scan failed.",
};

/** The verdict of a version's scan. Those who may update the skill see each finding, others the rules. */
export function ScanReport({ org, slug, semver }: Props) {
  const scan = useQuery(scanQuery(refOf({ org, slug }), semver));
  return (
    <Loaded found={scan} rows={3}>
      {(found) => (
        <div className="stack gap-3">
          <p>{sentenceOf(found)}</p>
          {found.findings ? (
            <ul className="findings" aria-label="Findings of the scan">
              {found.findings.map((finding) => (
                <FindingLine
                  key={[finding.rule, finding.path, finding.line, finding.column].join()}
                  {...{ org, slug, semver, finding }}
                />
              ))}
            </ul>
          ) : (
            <ul>
              {found.rules.map(({ rule, count }) => (
                <li key={rule}>
                  <span className="mono">{rule}</span>: {countText(count, "finding")}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </Loaded>
  );
}

function sentenceOf({ state, verdict }: Scan): string {
  if (state === "pending") return "It waits for its scan.";
  if (state === "failed" || verdict === undefined) return "The scan failed, and is repeated.";
  return verdicts[verdict];
}

function FindingLine({
  org,
  slug,
  semver,
  finding,
}: Props & { finding: NonNullable<Scan["findings"]>[number] }) {
  const { Icon, tone } = icons[finding.severity];
  const { path, line } = finding;
  const [file = path] = path.split("!/");
  return (
    <li>
      <Icon size={16} className={tone} role="img" aria-label={finding.severity} />
      <div className="grow stack">
        <span className="text">{visibleText(finding.message)}</span>
        {finding.excerpt !== undefined && <code>{visibleText(finding.excerpt)}</code>}
        <span className="meta">
          <Link className="mono" {...fileLink({ org, slug, version: semver }, { path: file, line })}>
            {visibleText(path)}
            {line !== undefined && `:${line}`}
          </Link>{" "}
          · rule {finding.rule}
        </span>
      </div>
    </li>
  );
}
