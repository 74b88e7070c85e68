import { ActionIcon, Button, Menu } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { connect, connectorsQuery, deleteConnector, type Connector } from "../../../api/connectors.ts";
import { ConfirmDialog } from "../../../parts/forms/confirm-dialog.tsx";
import { connectorStates } from "../../../parts/mcp/connector-states.ts";
import { Time } from "../../../parts/text/time.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";

interface Props {
  connector: Connector;
  /** Opens the dialog that connects. */
  onConnect: () => void;
}

/** A connector with its status, the problem and its remedy, and what its user can do. */
export function ConnectorRow({ connector, onConnect }: Props) {
  const { slug, tenantSlug, server, connectionStatus, lastError, lastUsedAt, issuer } = connector;
  const name = visibleText(server?.name ?? slug);
  const { label: state, badge } = connectorStates[connectionStatus];
  const label = connectionStatus === "pending" ? "Connect" : "Connect again";
  const canConnect = connectionStatus !== "connected" && connectionStatus !== "disabled";
  return (
    <li className="choice">
      <div className="stack">
        <h3 className="row wrap">
          <bdi>{name}</bdi>
          <span className={badge}>{state}</span>
        </h3>
        <p className="meta facts">
          <span className="mono">
            {tenantSlug ? `${tenantSlug}/` : ""}
            {server?.slug ?? slug}
          </span>
          {server && <span className="mono">{server.host}</span>}
          {issuer !== null && <span>authorized by {hostOf(issuer)}</span>}
          <span>
            {lastUsedAt ? (
              <>
                used <Time value={lastUsedAt} />
              </>
            ) : (
              "never used"
            )}
          </span>
        </p>
        {lastError !== null && <p className="sub">{lastError}</p>}
      </div>
      <div className="row">
        {canConnect && (
          <Button size="xs" variant="default" aria-label={`${label} ${name}`} onClick={onConnect}>
            {label}
          </Button>
        )}
        <ConnectorMenu connector={connector} onConnect={onConnect} />
      </div>
    </li>
  );
}

const hostOf = (issuer: string) => (URL.canParse(issuer) ? new URL(issuer).host : issuer);

function ConnectorMenu({ connector, onConnect }: Props) {
  const { publicId, slug, server, connectionStatus, values, issuer } = connector;
  const [asked, setAsked] = useState<"delete" | "authorize">();
  const close = () => setAsked(undefined);
  const isOn = connectionStatus !== "disabled";
  const name = visibleText(server?.name ?? slug);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
            <Ellipsis size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isOn && (
            <Menu.Item onClick={onConnect}>
              {values.length > 0 ? "Change values" : "Check the connection"}
            </Menu.Item>
          )}
          {isOn && issuer !== null && (
            <Menu.Item onClick={() => setAsked("authorize")}>Authorize again</Menu.Item>
          )}
          <Menu.Item color="red" onClick={() => setAsked("delete")}>
            Disconnect
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {asked === "delete" && <Disconnect publicId={publicId} name={name} onClose={close} />}
      {asked === "authorize" && <AuthorizeAgain connector={connector} name={name} onClose={close} />}
    </>
  );
}

function Disconnect({ publicId, name, onClose }: { publicId: string; name: string; onClose: () => void }) {
  const client = useQueryClient();
  return (
    <ConfirmDialog
      title={`Disconnect ${name}?`}
      action="Disconnect"
      isDangerous
      run={async () => {
        await deleteConnector(publicId);
        await client.invalidateQueries({ queryKey: connectorsQuery.queryKey });
      }}
      onClose={onClose}
    >
      <p>
        Its tools end with the next call of your agents, and its credentials are deleted here. The provider of
        the server may still list the access that you gave: remove it there, too.
      </p>
    </ConfirmDialog>
  );
}

interface AuthorizeProps {
  connector: Connector;
  name: string;
  onClose: () => void;
}

function AuthorizeAgain({ connector, name, onClose }: AuthorizeProps) {
  const client = useQueryClient();
  return (
    <ConfirmDialog
      title={`Authorize ${name} again?`}
      action="Authorize again"
      run={() =>
        connect(connector.publicId, {
          reauthorize: true,
          url: connector.server ? connector.server.url : undefined,
        })
      }
      onDone={({ authorizationUrl }) => {
        if (authorizationUrl !== undefined) return location.assign(authorizationUrl);
        void client.invalidateQueries({ queryKey: connectorsQuery.queryKey });
        onClose();
      }}
      onClose={onClose}
    >
      <p>
        The current authorization is deleted, and the provider asks you for a new one, for example for another
        account. Until then, agents can&apos;t use the tools.
      </p>
    </ConfirmDialog>
  );
}
