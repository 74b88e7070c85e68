import { Button } from "@mantine/core";
import type { Version } from "../../../api/skills/skills.ts";
import { ButtonLink } from "../../../parts/button-link.tsx";
import { useSkillAddress } from "../context.ts";

interface Props {
  ticked: string[];
  versions: Version[];
  onClear: () => void;
}

/** Leads from two ticked versions to their comparison, the older one first. */
export function CompareBar({ ticked, versions, onClear }: Props) {
  const { org, slug } = useSkillAddress();
  const numberOf = (semver: string) => versions.find((one) => one.semver === semver)?.version ?? 0;
  const [from, to] = ticked.toSorted((a, b) => numberOf(a) - numberOf(b));
  return (
    <div className="row between compare-bar">
      <span className="meta" role="status">
        {ticked.length === 0 && "Tick two versions to compare them."}
        {ticked.length === 1 && `${from} is ticked. Tick another version to compare the two.`}
        {ticked.length === 2 && `${from} and ${to} are ticked.`}
      </span>
      <span className="row">
        {ticked.length > 0 && (
          <Button size="xs" variant="subtle" color="gray" onClick={onClear}>
            Clear
          </Button>
        )}
        {from !== undefined && to !== undefined && (
          <ButtonLink
            size="xs"
            to="/$org/$slug/compare/$range"
            params={{ org, slug, range: `${from}...${to}` }}
          >
            Compare {from} with {to}
          </ButtonLink>
        )}
      </span>
    </div>
  );
}
