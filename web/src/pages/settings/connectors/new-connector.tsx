import { Modal, Select } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { connectorsQuery, remoteServersQuery, type Connector } from "../../../api/connectors.ts";
import { DialogForm } from "../../../parts/forms/dialog-form.tsx";
import { itemsOf, useNextPage } from "../../../parts/lists/found.ts";
import { useCreateConnector } from "../../../parts/mcp/use-create-connector.ts";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";

interface Props {
  onDone: (connector: Connector) => void;
  onClose: () => void;
}

/** Chooses a remote server of the user's organizations. */
export function NewConnector({ onDone, onClose }: Props) {
  const [server, setServer] = useState<string | null>(null);
  const { found, options } = useServerOptions();
  const creating = useCreateConnector(onDone);
  return (
    <Modal opened onClose={onClose} title="New connector">
      <DialogForm
        label="New connector"
        action="Continue"
        isReady={server !== null}
        isPending={creating.isPending}
        error={creating.error}
        onSubmit={() => server !== null && creating.mutate(server)}
        onClose={onClose}
      >
        <Loaded found={found} rows={1} rowHeight={44}>
          {() =>
            options.length === 0 ? (
              <p className="sub">
                Your organizations have no remote MCP server that you have not connected yet. An administrator
                can register one.
              </p>
            ) : (
              <Select
                label="Server"
                description="The remote MCP servers of your organizations"
                placeholder="Choose a server"
                data={options}
                value={server}
                searchable
                nothingFoundMessage="No server has this name"
                data-autofocus
                onChange={setServer}
              />
            )
          }
        </Loaded>
      </DialogForm>
    </Modal>
  );
}

function useServerOptions() {
  const found = useInfiniteQuery(remoteServersQuery);
  const { data: connectors = [] } = useQuery(connectorsQuery);
  useNextPage(found, true);
  const connected = new Set(connectors.map(({ serverId }) => serverId));
  const servers = itemsOf(found);
  return {
    found,
    options: servers
      .filter(({ id, transport }) => transport !== "stdio" && !connected.has(id))
      .map(({ id, tenantSlug, slug, name }) => ({
        value: id,
        label: name === slug ? `${tenantSlug}/${slug}` : `${visibleText(name)} (${tenantSlug}/${slug})`,
      })),
  };
}
