import { Radio } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { useState } from "react";
import {
  anonymousMcpModes,
  signUpModes,
  type AnonymousMcpMode,
  type SignUpMode,
} from "../../../../contract/vocabulary.ts";
import { changeSettings, serviceSettingsQuery } from "../../api/admin.ts";
import { Loaded } from "../../parts/states/loaded.tsx";
import { AdminPage } from "./admin-page.tsx";
import { AdminProblem } from "./admin-problem.tsx";
import { ReasonDialog } from "./reason-dialog.tsx";
import { RootCollection } from "./root-collection.tsx";

interface Choice {
  label: string;
  description: string;
  effect: string;
}

const signUpChoices: Record<SignUpMode, Choice> = {
  open: {
    label: "Open",
    description: "Anyone who reaches the service can create an account.",
    effect: "From now on, anyone who reaches the service can create an account.",
  },
  invite: {
    label: "By invitation",
    description: "Only people who were invited to an organization can create an account.",
    effect:
      "From now on, only people with an invitation can create an account, with the e-mail address that was " +
      "invited. Existing accounts stay.",
  },
};

const agentChoices: Record<AnonymousMcpMode, Choice> = {
  auto: {
    label: "While there is a public skill",
    description: "Without public skills, agents are asked to sign in when they connect.",
    effect: "From now on, agents need a sign-in as long as the service has no public skill.",
  },
  on: {
    label: "Always",
    description: "Agents connect without a sign-in, and are asked for one by tools that need it.",
    effect: "From now on, agents can connect without a sign-in. They find and read public skills only.",
  },
  off: {
    label: "Never",
    description: "Every agent is asked to sign in when it connects. Pages and the API stay as they are.",
    effect: "From now on, agents need a sign-in, for public skills too. Signed-in agents keep their access.",
  },
};

export const Route = createFileRoute("/admin/settings")({ component: SettingsPage });

function SettingsPage() {
  const found = useQuery(serviceSettingsQuery);
  return (
    <AdminPage title="Settings" about="They take effect at once, in every process of the service.">
      <Loaded found={found} rows={2} Failure={AdminProblem}>
        {(settings) => (
          <>
            <Setting
              label="Sign-up"
              configuration={`SIGN_UP, which is configured as "${settings.configuredSignUp}"`}
              choices={signUpChoices}
              modes={signUpModes}
              value={settings.signUp}
              change={(signUp, reason) => changeSettings({ signUp }, reason)}
            />
            <Setting
              label="Agents without a sign-in"
              configuration={`MCP_ANONYMOUS, which is configured as "${settings.configuredAnonymousMcp}"`}
              choices={agentChoices}
              modes={anonymousMcpModes}
              value={settings.anonymousMcp}
              change={(anonymousMcp, reason) => changeSettings({ anonymousMcp }, reason)}
            />
            <RootCollection value={settings.rootCollection} />
          </>
        )}
      </Loaded>
    </AdminPage>
  );
}

interface SettingProps<Mode extends string> {
  label: string;
  configuration: string;
  choices: Record<Mode, Choice>;
  modes: readonly Mode[];
  value: Mode;
  change: (mode: Mode, reason: string) => ReturnType<typeof changeSettings>;
}

function Setting<Mode extends string>(props: SettingProps<Mode>) {
  const { label, configuration, choices, modes, value, change } = props;
  const client = useQueryClient();
  const [asked, setAsked] = useState<Mode>();
  return (
    <section className="stack gap-3">
      <Radio.Group
        label={label}
        description={`A choice here overrides ${configuration}.`}
        value={value}
        onChange={(mode) => setAsked(mode)}
      >
        <div className="stack gap-3 choices">
          {modes.map((mode) => (
            <Radio
              key={mode}
              value={mode}
              label={choices[mode].label}
              description={choices[mode].description}
            />
          ))}
        </div>
      </Radio.Group>
      {asked && (
        <ReasonDialog
          title={`${label}: ${choices[asked].label.toLowerCase()}`}
          action="Change"
          run={async (reason) => {
            client.setQueryData(serviceSettingsQuery.queryKey, await change(asked, reason));
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>{choices[asked].effect}</p>
        </ReasonDialog>
      )}
    </section>
  );
}
