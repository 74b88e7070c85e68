import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { countText } from "../../../../contract/text/count-text.ts";
import type { Schemas } from "../../api/client.ts";
import {
  receiverQuery,
  removeReceiver,
  setReceiver,
  testReceiver,
} from "../../api/organization/audit-receiver.ts";
import { Command } from "../../parts/copy/command.tsx";
import { ConfirmDialog } from "../../parts/forms/confirm-dialog.tsx";
import { fieldError, Form } from "../../parts/forms/form.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { Time } from "../../parts/text/time.tsx";

type Setting = Schemas["AuditForwardingSetting"];
type Forwarding = Schemas["AuditForwarding"];

/** Where the audit log is sent, whether that works, and the change of it. */
export function AuditReceiver({ org }: { org: string }) {
  const found = useQuery({ ...receiverQuery(org), refetchInterval: 15_000 });
  return (
    <section className="panel" aria-labelledby="receiver-heading">
      <header>
        <h2 id="receiver-heading">Receiver of the audit log</h2>
      </header>
      <div className="body stack gap-4">
        <p className="sub">
          Each new entry is also sent to this address, at least once and in order: to an https address as a
          signed webhook, to a syslog+tls address as a message of RFC 5424.
        </p>
        <Loaded found={found} rows={2}>
          {({ forwarding }) => <Receiver org={org} forwarding={forwarding} />}
        </Loaded>
      </div>
    </section>
  );
}

function Receiver({ org, forwarding }: { org: string; forwarding: Forwarding | null }) {
  const client = useQueryClient();
  const [isEnding, setEnding] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const keep = (setting: Setting) => {
    client.setQueryData(receiverQuery(org).queryKey, { ...setting, secret: null });
    if (setting.secret !== null) setSecret(setting.secret);
  };
  const save = useMutation({
    mutationFn: (change: { url: string; newSecret: boolean }) => setReceiver(org, change),
    onSuccess: keep,
  });
  const test = useMutation({ mutationFn: () => testReceiver(org), onSuccess: keep });
  const isWebhook = forwarding?.url.startsWith("http") === true;
  return (
    <>
      {forwarding && <State forwarding={forwarding} />}
      {secret !== null && (
        <div className="note ok" role="status">
          <div className="stack gap-3">
            <p>Copy the secret by which messages are signed: it is not shown again.</p>
            <Command text={secret} prompt="" label="Copy secret" />
          </div>
        </div>
      )}
      <Form
        label="Receiver of the audit log"
        error={save.error}
        onSubmit={({ url = "" }) => save.mutate({ url: url.trim(), newSecret: false })}
      >
        <Problem error={save.error} fields={["url"]} />
        <TextInput
          key={forwarding?.url}
          name="url"
          label="Address"
          placeholder="https://siem.example.com/audit or syslog+tls://siem.example.com:6514"
          defaultValue={forwarding?.url ?? ""}
          error={fieldError(save.error, "url")}
          required
          spellCheck={false}
        />
        <div className="row wrap">
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
          {forwarding && (
            <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
              Send a test
            </Button>
          )}
          {forwarding && isWebhook && (
            <Button
              variant="default"
              loading={save.isPending}
              onClick={() => save.mutate({ url: forwarding.url, newSecret: true })}
            >
              New secret
            </Button>
          )}
          {forwarding && (
            <Button variant="default" onClick={() => setEnding(true)}>
              Remove
            </Button>
          )}
          <span role="status" className="meta">
            {test.isSuccess ? "The receiver accepted the test message." : save.isSuccess && "Saved."}
          </span>
        </div>
        <Problem error={test.error} />
      </Form>
      {isEnding && (
        <ConfirmDialog
          title="Remove the receiver?"
          action="Remove"
          isDangerous
          run={() => removeReceiver(org)}
          onDone={(setting) => {
            keep(setting);
            setEnding(false);
          }}
          onClose={() => setEnding(false)}
        >
          <p>Entries that are waiting will not be sent. They stay in the audit log.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function State({ forwarding }: { forwarding: Forwarding }) {
  const { state, error, waiting, oldestAt, deliveredAt, nextAttemptAt } = forwarding;
  return (
    <div className={state === "failing" ? "note danger" : "note ok"} role="status">
      <div className="stack">
        <span>
          {state === "failing"
            ? error
            : deliveredAt === null
              ? "Nothing has been sent yet."
              : "The receiver accepts messages."}
          {deliveredAt !== null && (
            <>
              {" "}
              Last delivery <Time value={deliveredAt} />.
            </>
          )}
        </span>
        {waiting > 0 && oldestAt !== null && (
          <span className="meta">
            Waiting: {countText(waiting, "entry", "entries")}, the oldest from <Time value={oldestAt} />.
            {nextAttemptAt !== null && (
              <>
                {" "}
                Next attempt: <Time value={nextAttemptAt} />.
              </>
            )}
          </span>
        )}
      </div>
    </div>
  );
}
