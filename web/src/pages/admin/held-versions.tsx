import { Button } from "@mantine/core";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { useState } from "react";
import { heldVersionsQuery, type HeldVersion } from "../../api/admin.ts";
import { decide } from "../../api/organization/reviews.ts";
import { ListSection } from "../../parts/lists/list-section.tsx";
import { Time } from "../../parts/text/time.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";
import { ScanReport } from "../skill/scan/report.tsx";
import { AdminPage } from "./admin-page.tsx";
import { ReasonDialog } from "./reason-dialog.tsx";

export const Route = createFileRoute("/admin/held-versions")({ component: HeldVersionsPage });

/** Malicious versions of public and unlisted skills, with what their scans found. */
function HeldVersionsPage() {
  const found = useInfiniteQuery(heldVersionsQuery);
  return (
    <AdminPage
      title="Held versions"
      about={
        "Malicious versions of public and unlisted skills. Until you release them, only people who can update or " +
        "review the skill get them."
      }
    >
      <ListSection
        title="Malicious versions"
        inPanel
        found={found}
        rows={3}
        rowHeight={120}
        empty="No malicious version waits for an administrator."
        more="Show more"
      >
        {(held) => (
          <ul className="lines">
            {held.map((one) => (
              <HeldLine key={`${one.skill.publicId} ${one.semver}`} held={one} />
            ))}
          </ul>
        )}
      </ListSection>
    </AdminPage>
  );
}

function HeldLine({ held: { skill, semver, since } }: { held: HeldVersion }) {
  const client = useQueryClient();
  const [isReleasing, setReleasing] = useState(false);
  const { tenantSlug, slug, name, publicId } = skill;
  return (
    <li className="held-version stack gap-3">
      <div className="row wrap">
        <div className="grow">
          <b>
            {tenantSlug}/{slug}
          </b>{" "}
          <span className="mono">{semver}</span> <span className="sub">{visibleText(name)}</span>
          <div className="meta">
            a version has waited since <Time value={since} />
          </div>
        </div>
        <Button size="xs" variant="default" onClick={() => setReleasing(true)}>
          Release …
        </Button>
      </div>
      <ScanReport org={tenantSlug} slug={slug} semver={semver} />
      {isReleasing && (
        <ReasonDialog
          title={`Release ${slug} ${semver}`}
          action="Release"
          isDangerous
          note="Recorded in the audit log of the organization."
          run={async (reason) => {
            await decide(publicId, semver, { decision: "override", comment: reason });
            await client.invalidateQueries({ queryKey: heldVersionsQuery.queryKey });
          }}
          onClose={() => setReleasing(false)}
        >
          <p>Everyone who may read the skill gets the version, although its scan found it malicious.</p>
        </ReasonDialog>
      )}
    </li>
  );
}
