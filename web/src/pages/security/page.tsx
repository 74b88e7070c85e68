import { Button, NumberInput, Switch } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { useState } from "react";
import { limits } from "../../../../contract/limits.ts";
import { countText, numberText } from "../../../../contract/text/count-text.ts";
import type { Schemas } from "../../api/client.ts";
import { requirementQuery, setRequirement } from "../../api/organization/requirement.ts";
import { Form } from "../../parts/forms/form.tsx";
import { OrganizationPage } from "../../parts/page/organization-page.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { SkeletonRows } from "../../parts/states/skeleton-rows.tsx";
import { Time } from "../../parts/text/time.tsx";
import { AuditReceiver } from "./audit-receiver.tsx";

export const Route = createFileRoute("/$org/-/security")({ component: SecurityPage });

/** Suggested days for members to add a factor. */
const suggestedGrace = 14;

function SecurityPage() {
  const { org } = Route.useParams();
  return (
    <OrganizationPage org={org} title="Security" permission={["security", "manage"]}>
      {({ name }) => (
        <div className="page stack gap-6">
          <div>
            <h1>Security</h1>
            <p className="sub">
              How members of <bdi>{name}</bdi> prove who they are, and where the audit log is sent.
            </p>
          </div>
          <LoadedRequirement org={org} />
          <AuditReceiver org={org} />
        </div>
      )}
    </OrganizationPage>
  );
}

function LoadedRequirement({ org }: { org: string }) {
  const { data, error, refetch } = useQuery(requirementQuery(org));
  if (error) return <Problem error={error} retry={() => void refetch()} />;
  return data ? <Requirement org={org} requirement={data} /> : <SkeletonRows rows={3} />;
}

function Requirement({ org, requirement }: { org: string; requirement: Schemas["MfaRequirement"] }) {
  const { required, graceDays, enforcedFrom, members, membersWithout } = requirement;
  const client = useQueryClient();
  const [isRequired, setRequired] = useState(required);
  const save = useMutation({
    mutationFn: (days: number) => setRequirement(org, { required: isRequired, graceDays: days }),
    onSuccess: (saved) => client.setQueryData(requirementQuery(org).queryKey, saved),
  });
  return (
    <section className="panel" aria-labelledby="requirement-heading">
      <header>
        <h2 id="requirement-heading">Second factor</h2>
      </header>
      <div className="body stack gap-4">
        <p className={membersWithout > 0 ? "note warn" : "note ok"}>
          {membersWithout === 0
            ? members === 1
              ? "The only member has a second factor."
              : `All ${numberText(members)} members have a second factor.`
            : `${numberText(membersWithout)} of ${countText(members, "member")} ${membersWithout === 1 ? "has" : "have"} no second factor.`}
        </p>
        <Form
          label="Second factor"
          error={save.error}
          onSubmit={({ days = "0" }) => save.mutate(Number(days) || 0)}
        >
          <Problem error={save.error} />
          <Switch
            label="Require a second factor of all members"
            checked={isRequired}
            onChange={(event) => setRequired(event.currentTarget.checked)}
          />
          {isRequired && (
            <NumberInput
              name="days"
              label="Days of grace"
              description="After them, members without a second factor can only add one, or leave. Tokens of the organization keep working."
              defaultValue={required ? graceDays : suggestedGrace}
              min={0}
              max={limits.mfaGraceDays}
              allowDecimal={false}
            />
          )}
          {enforcedFrom && (
            <p className="sub">
              Required from <Time value={enforcedFrom} />.
            </p>
          )}
          <div className="row">
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
            <span role="status" className="meta">
              {save.isSuccess && "Saved."}
            </span>
          </div>
        </Form>
      </div>
    </section>
  );
}
