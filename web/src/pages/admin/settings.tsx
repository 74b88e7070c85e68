import { Radio } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { useState } from "react";
import { signUpModes, type SignUpMode } from "../../../../contract/vocabulary.ts";
import { serviceSettingsQuery, setSignUp } from "../../api/admin.ts";
import { SkeletonRows } from "../../parts/skeleton-rows.tsx";
import { AdminPage } from "./admin-page.tsx";
import { AdminProblem } from "./admin-problem.tsx";
import { ReasonDialog } from "./reason-dialog.tsx";

const modes: Record<SignUpMode, { label: string; description: string; effect: string }> = {
  open: {
    label: "Open",
    description: "Anyone who reaches the service can create an account.",
    effect: "From now on, anyone who reaches the service can create an account.",
  },
  invite: {
    label: "By invitation",
    description: "Only people who were invited to an organization can create an account.",
    effect:
      "From now on, an account needs an invitation to an organization, and its address. Existing accounts stay.",
  },
};

export const Route = createFileRoute("/admin/settings")({ component: SettingsPage });

function SettingsPage() {
  return (
    <AdminPage title="Settings" about="They take effect at once, in every process of the service.">
      <SignUp />
    </AdminPage>
  );
}

function SignUp() {
  const client = useQueryClient();
  const { data: settings, error, isPending, refetch } = useQuery(serviceSettingsQuery);
  const [asked, setAsked] = useState<SignUpMode>();
  return (
    <section className="stack g3">
      <AdminProblem error={error} retry={() => void refetch()} />
      {isPending && <SkeletonRows rows={2} />}
      {settings && (
        <Radio.Group
          label="Sign-up"
          description={`A choice here precedes SIGN_UP of the configuration, which is "${settings.configuredSignUp}".`}
          value={settings.signUp}
          onChange={(mode) => setAsked(mode)}
        >
          <div className="stack g3 choices">
            {signUpModes.map((mode) => (
              <Radio
                key={mode}
                value={mode}
                label={modes[mode].label}
                description={modes[mode].description}
              />
            ))}
          </div>
        </Radio.Group>
      )}
      {asked && (
        <ReasonDialog
          title={`Sign-up: ${modes[asked].label.toLowerCase()}`}
          action="Change"
          run={async (reason) => {
            client.setQueryData(serviceSettingsQuery.queryKey, await setSignUp(asked, reason));
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>{modes[asked].effect}</p>
        </ReasonDialog>
      )}
    </section>
  );
}
