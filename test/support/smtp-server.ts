/** A mail server on loopback that accepts mails (RFC 5321) and stores them, or rejects them on request. */
import { createServer, type Server, type Socket, type AddressInfo } from "node:net";

export interface ReceivedMail {
  from: string;
  to: string[];
  /** Header and body as received, without the dots that transport adds. */
  message: string;
}

export interface SmtpServer {
  url: string;
  received: ReceivedMail[];
  /** Replies to use in place of the usual one, by command, each once: `{ RCPT: ["550 no"] }`. */
  replies: Partial<Record<"EHLO" | "AUTH" | "MAIL" | "RCPT" | "DATA" | "END", string[]>>;
  /** Every command line that was sent. */
  commands: string[];
  close(): Promise<void>;
}

export async function startSmtpServer(options: { extensions?: string[] } = {}): Promise<SmtpServer> {
  const extensions = options.extensions ?? ["8BITMIME", "SMTPUTF8"];
  const sockets = new Set<Socket>();
  const received: ReceivedMail[] = [];
  const commands: string[] = [];
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    talk(socket);
  });

  function talk(socket: Socket) {
    let unread = "";
    let isData = false;
    let mail: ReceivedMail = { from: "", to: [], message: "" };
    const say = (name: keyof SmtpServer["replies"], usual: string) => {
      const reply = mailServer.replies[name]?.shift() ?? usual;
      socket.write(`${reply}\r\n`);
      return reply.startsWith("2") || reply.startsWith("3");
    };
    socket.write("220 loopback ESMTP\r\n");
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      unread += chunk;
      for (;;) {
        const end = unread.indexOf(isData ? "\r\n.\r\n" : "\r\n");
        if (end < 0) return;
        const text = unread.slice(0, end);
        unread = unread.slice(end + (isData ? 5 : 2));
        if (isData) {
          isData = false;
          mail.message = text.replace(/^\./gm, "");
          if (say("END", "250 kept")) received.push(mail);
          mail = { from: "", to: [], message: "" };
        } else command(text);
      }
    });

    function command(line: string) {
      commands.push(line);
      const verb = line.slice(0, 4).toUpperCase();
      const address = /<([^>]*)>/.exec(line)?.[1] ?? "";
      if (verb === "EHLO" || verb === "HELO") {
        const offered = ["loopback", ...extensions];
        say(
          "EHLO",
          offered.map((name, at) => `250${at === offered.length - 1 ? " " : "-"}${name}`).join("\r\n"),
        );
      } else if (verb === "AUTH") say("AUTH", "235 welcome");
      else if (verb === "MAIL") {
        if (say("MAIL", "250 ok")) mail.from = address;
      } else if (verb === "RCPT") {
        if (say("RCPT", "250 ok")) mail.to.push(address);
      } else if (verb === "DATA") isData = say("DATA", "354 go on");
      else if (verb === "QUIT") socket.end("221 bye\r\n");
      else socket.write(verb === "RSET" || verb === "NOOP" ? "250 ok\r\n" : "502 unknown\r\n");
    }
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const mailServer: SmtpServer = {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    replies: {},
    commands,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return mailServer;
}
