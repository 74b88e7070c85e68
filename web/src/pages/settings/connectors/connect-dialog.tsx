import { Modal, PasswordInput, Select, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { CircleAlert, ShieldCheck } from "lucide-react";
import { connect, connectorsQuery, type Connector } from "../../../api/connectors.ts";
import { DialogForm } from "../../../parts/forms/dialog-form.tsx";
import { fieldError } from "../../../parts/forms/form.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";

interface Props {
  connector: Connector;
  onClose: () => void;
}

const fieldOf = (name: string) => `variables.${name}`;

/** Connects: asks for the values that the server needs, and leads to the server's provider if it has to authorize. */
export function ConnectDialog({ connector, onClose }: Props) {
  const { slug, server, values } = connector;
  const { connecting, submit } = useConnect(connector, onClose);
  const name = visibleText(server?.name ?? slug);
  const failed = connecting.data?.connector.lastError;
  return (
    <Modal opened onClose={onClose} title={`Connect ${name}`} closeOnClickOutside={false}>
      <DialogForm
        label={`Connect ${name}`}
        action="Connect"
        isReady={server !== null}
        isPending={connecting.isPending}
        error={connecting.error}
        fields={values.map((value) => fieldOf(value.name))}
        onSubmit={submit}
        onClose={onClose}
      >
        {server ? (
          <p className="note">
            <ShieldCheck className="icon" />
            <span>
              Your credentials are stored encrypted, and sent to <b className="mono">{server.host}</b> only,
              at the address <span className="mono address">{visibleText(server.url)}</span>
            </span>
          </p>
        ) : (
          <p>{connector.lastError}</p>
        )}
        {values.map((value, index) => (
          <ValueField
            key={value.name}
            value={value}
            isFirst={index === 0}
            error={fieldError(connecting.error, fieldOf(value.name))}
          />
        ))}
        {failed && (
          <p className="note danger" role="alert">
            <CircleAlert className="icon" />
            <span>{failed}</span>
          </p>
        )}
      </DialogForm>
    </Modal>
  );
}

function useConnect({ publicId, server, values }: Connector, onClose: () => void) {
  const client = useQueryClient();
  const connecting = useMutation({
    mutationFn: (variables: Record<string, string>) =>
      connect(publicId, { variables, url: server ? server.url : undefined }),
    onSuccess: async ({ connector: changed, authorizationUrl }) => {
      if (authorizationUrl !== undefined) return location.assign(authorizationUrl);
      await client.invalidateQueries({ queryKey: connectorsQuery.queryKey });
      if (changed.connectionStatus === "connected") onClose();
    },
    // The address of the server may have changed since it was shown.
    onError: () => client.invalidateQueries({ queryKey: connectorsQuery.queryKey }),
  });
  const submit = (typed: Record<string, string>) =>
    connecting.mutate(
      Object.fromEntries(
        values.flatMap(({ name }) => {
          const value = typed[fieldOf(name)] ?? "";
          // An empty field keeps what is stored.
          return value === "" ? [] : [[name, value]];
        }),
      ),
    );
  return { connecting, submit };
}

interface FieldProps {
  value: Connector["values"][number];
  error: string | undefined;
  isFirst: boolean;
}

function ValueField({
  value: { name, label, description, secret, required, format, supplied },
  error,
  isFirst,
}: FieldProps) {
  const common = {
    name: fieldOf(name),
    label: visibleText(label),
    description: visibleText(description ?? ""),
    error,
    required: required && !supplied,
    placeholder: supplied ? "Stored: leave empty to keep it" : undefined,
    spellCheck: false,
    "data-autofocus": isFirst ? true : undefined,
  };
  // A browser must not offer to keep the secret of a server as the password of this site.
  if (secret) return <PasswordInput {...common} autoComplete="one-time-code" />;
  if (format === "boolean") return <Select {...common} data={["true", "false"]} />;
  return <TextInput {...common} autoComplete="off" inputMode={format === "number" ? "decimal" : "text"} />;
}
