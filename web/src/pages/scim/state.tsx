import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import { useState, type ReactNode } from "react";
import {
  disableScim,
  enableScim,
  rotateScimToken,
  scimQuery,
  type ScimState,
  type ScimToken,
} from "../../api/organization/scim.ts";
import { Command } from "../../parts/copy/command.tsx";
import { ConfirmDialog } from "../../parts/forms/confirm-dialog.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { Time } from "../../parts/text/time.tsx";
import { TokenSecret } from "../../parts/tokens/token-secret.tsx";

interface Props {
  org: string;
  state: ScimState;
}

/** SCIM before it is enabled, or after it was disabled. */
export function Disabled({ org, state }: Props) {
  const client = useQueryClient();
  const [token, setToken] = useState<ScimToken>();
  const enable = useMutation({ mutationFn: () => enableScim(org), onSuccess: setToken });
  const { active, inactive, invited } = state.users;
  return (
    <section className="panel" aria-labelledby="scim-off">
      <header>
        <h2 id="scim-off">Before you enable it</h2>
        <span className="badge">off</span>
      </header>
      <div className="body stack gap-4">
        {active + inactive + invited > 0 && (
          <p className="note">
            SCIM is disabled: the tokens have ended, and members and teams have stayed. If you enable it
            again, the base URL is the same, and the identity provider continues with its users and groups.
          </p>
        )}
        <ul className="plain-list">
          <li>
            <Link to="/$org/-/sso" params={{ org }}>
              Verify the domain
            </Link>{" "}
            of your addresses. Otherwise, SCIM invites people, and they are not active until they accept.
          </li>
          <li>
            SCIM never changes or removes owners. Keep at least one owner outside of the identity provider.
          </li>
          <li>
            Groups become new teams, to which you then give roles and folders. To have an existing team
            managed instead, put it under SCIM on <b>Groups</b> before you push the group.
          </li>
          <li>
            SCIM works without single sign-on: people can set a password with <b>Forgot password</b>.
          </li>
        </ul>
        <Problem error={enable.error} />
        <Button w="fit-content" loading={enable.isPending} onClick={() => enable.mutate()}>
          Enable SCIM
        </Button>
        {token && (
          <TokenDialog
            token={token}
            onClose={() => void client.invalidateQueries({ queryKey: scimQuery(org).queryKey })}
          />
        )}
      </div>
    </section>
  );
}

/** State of SCIM, its token, and what ends it. */
export function Enabled({ org, state }: Props) {
  const [asked, setAsked] = useState<"rotate" | "disable">();
  const [token, setToken] = useState<ScimToken>();
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: scimQuery(org).queryKey });
  const close = () => setAsked(undefined);
  return (
    <section className="panel" aria-labelledby="scim-on">
      <header>
        <h2 id="scim-on">State</h2>
        <span className="badge ok">on</span>
      </header>
      <div className="body stack gap-4">
        {state.formerTokenUntil !== null && (
          <p className="note warn">
            <TriangleAlert className="icon" />
            <span>
              The token was rotated. Enter the new one in your identity provider: the previous one expires{" "}
              <Time value={state.formerTokenUntil} />.
            </span>
          </p>
        )}
        <Facts org={org} state={state} />
        <div className="row wrap">
          <Button variant="default" onClick={() => setAsked("rotate")}>
            Rotate token
          </Button>
          <Button variant="subtle" color="gray" onClick={() => setAsked("disable")}>
            Disable SCIM
          </Button>
        </div>
      </div>
      {asked === "rotate" && (
        <RotateDialog
          org={org}
          state={state}
          onRotated={(rotated) => {
            close();
            setToken(rotated);
            void refresh();
          }}
          onClose={close}
        />
      )}
      {asked === "disable" && <DisableDialog org={org} onDisabled={refresh} onClose={close} />}
      {token && <TokenDialog token={token} onClose={() => setToken(undefined)} />}
    </section>
  );
}

interface RotateProps extends Props {
  onRotated: (token: ScimToken) => void;
  onClose: () => void;
}

const RotateDialog = ({ org, state, onRotated, onClose }: RotateProps) => (
  <ConfirmDialog
    title="Rotate token"
    action="Create another token"
    run={() => rotateScimToken(org)}
    onDone={onRotated}
    onClose={onClose}
  >
    <p>
      You get another token. The current one stays valid for 24 hours, in which you enter the new one in your
      identity provider.
    </p>
    {state.formerTokenUntil !== null && (
      <p>The token was rotated already: the one before the current one expires now.</p>
    )}
  </ConfirmDialog>
);

interface DisableProps {
  org: string;
  onDisabled: () => Promise<unknown>;
  onClose: () => void;
}

const DisableDialog = ({ org, onDisabled, onClose }: DisableProps) => (
  <ConfirmDialog
    title="Disable SCIM"
    action="Disable SCIM"
    isDangerous
    run={async () => {
      await disableScim(org);
      await onDisabled();
    }}
    onClose={onClose}
  >
    <p>
      Its tokens end at once. Members, teams and the records of users and groups stay, and people who leave
      the company keep their access until you remove them.
    </p>
    <p>You can enable it again: the base URL stays, and you get another token.</p>
  </ConfirmDialog>
);

function TokenDialog({ token, onClose }: { token: ScimToken; onClose: () => void }) {
  return (
    <TokenSecret title="Token for your identity provider" secret={token.token} onClose={onClose}>
      <p className="sub">Enter it in your identity provider, together with the base URL:</p>
      <Command text={token.baseUrl} label="Copy base URL" prompt="" />
    </TokenSecret>
  );
}

function Facts({ org, state }: Props) {
  const { enabledAt, enabledBy, tokenCreatedAt, lastUsedAt, users, groups } = state;
  return (
    <dl className="scim-facts">
      {enabledAt !== null && (
        <Fact term="Enabled">
          <Time value={enabledAt} /> by {enabledBy}
        </Fact>
      )}
      {tokenCreatedAt !== null && (
        <Fact term="Token created">
          <Time value={tokenCreatedAt} />
        </Fact>
      )}
      <Fact term="Last request">
        {lastUsedAt === null ? (
          "none yet: test the connection in your identity provider"
        ) : (
          <Time value={lastUsedAt} />
        )}
      </Fact>
      <Fact term="Users">
        {countLink(org, users.active, "active")},{" "}
        {users.invited > 0 && <>{countLink(org, users.invited, "invited")}, </>}
        {countLink(org, users.inactive, "inactive")}
        {users.invited > 0 && (
          <span className="meta block">
            Invited people are not active until they accept. Those whose domain you{" "}
            <Link to="/$org/-/sso" params={{ org }}>
              verify
            </Link>{" "}
            become members at once.
          </span>
        )}
      </Fact>
      <Fact term="Groups">{groups.toLocaleString("en")}</Fact>
    </dl>
  );
}

const Fact = ({ term, children }: { term: string; children: ReactNode }) => (
  <div>
    <dt>{term}</dt>
    <dd>{children}</dd>
  </div>
);

const countLink = (org: string, count: number, state: "active" | "inactive" | "invited") => (
  <Link to="/$org/-/scim" params={{ org }} search={{ view: "users", state }}>
    {count.toLocaleString("en")} {state}
  </Link>
);
