/** The receiver of an organization's audit log in a real browser. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { forwardAuditLog } from "../../src/audit/forwarding/forward.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { newFolder, newMember } from "../support/organization.ts";
import { closedAfter, setUpOrganization } from "../support/set-up.ts";
import { assertAccessible, setUpDashboard, type Look } from "../support/web/dashboard.ts";

const looks: readonly Look[] = [390, 1440].flatMap((width) => [
  { colorScheme: "light", width },
  { colorScheme: "dark", width },
]);

describe("the receiver of the audit log", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization({ webhookPrivateNetwork: true });
  const dashboard = await setUpDashboard(service);
  const address = `/${org.slug}/-/security`;
  let status = 204;
  const receiver = createServer((request, response) => {
    request.resume().once("end", () => response.writeHead(status).end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  await closedAfter({ close: () => receiver.close() });
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/audit`;

  it("is set, tested, shown with what waits while it fails, and removed", async () => {
    const { page, troubles } = await dashboard.open(address, { user: owner });
    const panel = page.getByRole("region", { name: "Receiver of the audit log" });
    const field = panel.getByRole("textbox", { name: "Address" });
    await field.waitFor();
    await assertAccessible(page, "receiver none", panel, looks);
    await field.fill("ftp://siem.example.com");
    await panel.getByRole("button", { name: "Save" }).click();
    await panel.getByText("Must be https://… or syslog+tls://host:port, without credentials").waitFor();
    await field.fill(url);
    await panel.getByRole("button", { name: "Save" }).click();
    await panel.getByText("it is not shown again").waitFor();
    await assertAccessible(page, "receiver secret", panel, looks);

    await panel.getByRole("button", { name: "Send a test" }).click();
    await panel.getByText("The receiver accepted the test message.").waitFor();
    await service.settled();
    await forwardAuditLog(service.app, org.id);
    await page.reload();
    await panel.getByText("The receiver accepts messages.").waitFor();
    assert.equal(await panel.getByText("whsec_").count(), 0);
    await assertAccessible(page, "receiver working", panel, looks);

    status = 503;
    for (const name of ["a", "b"]) await newFolder(service, org, owner, name);
    await service.settled();
    await forwardAuditLog(service.app, org.id);
    await page.reload();
    await panel.getByText("The receiver responded with status 503.").waitFor();
    await panel.getByText("Waiting: 2 entries").waitFor();
    await assertAccessible(page, "receiver failing", panel, looks);
    await panel.getByRole("button", { name: "Send a test" }).click();
    await panel.getByRole("alert").waitFor();

    await panel.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await panel.getByRole("button", { name: "Send a test" }).waitFor({ state: "detached" });
    assert.equal(await field.inputValue(), "");
    assert.deepEqual(
      troubles.filter((trouble) => !/422|409|400/.test(trouble)),
      [],
    );
  });

  it("is not shown to a member without the permission", async () => {
    const member = await newMember(service, org, "member");
    const { page } = await dashboard.open(address, { user: member });
    await page.getByRole("heading", { level: 1 }).waitFor();
    assert.equal(await page.getByRole("region", { name: "Receiver of the audit log" }).count(), 0);
  });
});
