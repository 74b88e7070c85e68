import { Button, Select } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ScanPolicy } from "../../../../contract/scan/policy.ts";
import { organizationQuery } from "../../api/account/session.ts";
import { changeOrganization } from "../../api/organization/organizations.ts";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { Problem } from "../../parts/states/problem.tsx";

const labels = {
  allow: "Allow it without a warning",
  warn: "Warn those who read or install it",
  hold: "Hold it until a reviewer releases it",
};
const choices = <M extends keyof typeof labels>(measures: readonly M[]) =>
  measures.map((value) => ({ value, label: labels[value] }));

/** How versions are treated in which a scan finds something. */
export function ScanPolicyForm({ organization: { slug, scanPolicy } }: { organization: Organization }) {
  const client = useQueryClient();
  const [policy, setPolicy] = useState<ScanPolicy>(scanPolicy);
  const saving = useMutation({
    mutationFn: () => changeOrganization(slug, { scanPolicy: policy }),
    onSuccess: (saved) => client.setQueryData(organizationQuery(slug).queryKey, saved),
  });
  const isChanged = policy.suspicious !== scanPolicy.suspicious || policy.malicious !== scanPolicy.malicious;
  return (
    <form
      className="stack gap-3"
      style={{ maxWidth: 520 }}
      aria-labelledby="scan-policy-heading"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <h2 id="scan-policy-heading">Scans</h2>
      <p className="meta">
        Each new version is scanned for hidden and harmful content. A malicious version of a public or
        unlisted skill is always held.
      </p>
      <Select
        label="A suspicious version"
        data={choices(["allow", "warn", "hold"])}
        value={policy.suspicious}
        onChange={(suspicious) => suspicious && setPolicy({ ...policy, suspicious })}
        allowDeselect={false}
      />
      <Select
        label="A malicious version"
        data={choices(["warn", "hold"])}
        value={policy.malicious}
        onChange={(malicious) => malicious && setPolicy({ ...policy, malicious })}
        allowDeselect={false}
      />
      <Problem error={saving.error} />
      <Button type="submit" w="fit-content" loading={saving.isPending} disabled={!isChanged}>
        Save
      </Button>
    </form>
  );
}
