/**
 * Domains that can't identify an organization. The list holds the providers where anyone gets an address, chosen from
 * those that both npm lists `email-providers` and `free-email-domains` name. It is a guard against mistakes: what
 * verifies a domain is its TXT record, which a customer of such a provider can't publish.
 */

/** Providers with one domain per country. */
const families =
  /^(?:yahoo|ymail|rocketmail|hotmail|outlook|gmail|googlemail|gmx|yandex|protonmail|tiscali|lycos|excite)\.(?:com?\.)?[a-z]{2,4}$/;

const names = new Set(
  `
  aol.com aol.co.uk aol.de aol.fr aim.com netscape.net netscape.com compuserve.com cs.com live.com live.co.uk live.fr
  live.de live.nl live.it live.ca live.com.au live.se live.no live.dk live.be live.at live.jp live.cn live.in msn.com
  windowslive.com passport.com me.com mac.com icloud.com privaterelay.appleid.com proton.me pm.me hey.com fastmail.com
  fastmail.fm fastmail.net sent.com hushmail.com hush.com tutanota.com tutanota.de tutamail.com tuta.io tuta.com
  keemail.me mailbox.org posteo.de posteo.net posteo.org disroot.org riseup.net startmail.com runbox.com mailfence.com
  zoho.com zohomail.com zohomail.eu zohomail.in mail.com email.com usa.com post.com europe.com asia.com iname.com
  myself.com consultant.com doctor.com lawyer.com engineer.com techie.com programmer.net inbox.com inbox.lv inbox.ru
  mail.ru bk.ru list.ru internet.ru rambler.ru ya.ru ro.ru lenta.ru pochta.ru land.ru front.ru newmail.ru narod.ru
  ukr.net i.ua meta.ua bigmir.net online.ua tut.by abv.bg mail.bg dir.bg seznam.cz email.cz post.cz centrum.cz volny.cz
  atlas.cz azet.sk zoznam.sk centrum.sk wp.pl o2.pl onet.pl onet.eu op.pl poczta.onet.pl interia.pl interia.eu gazeta.pl
  tlen.pl freemail.hu citromail.hu freemail.gr in.gr otenet.gr hot.ee mail.ee web.de freenet.de t-online.de arcor.de
  online.de email.de mail.de 1und1.de bluewin.ch hispeed.ch swissonline.ch chello.at chello.nl aon.at a1.net orange.fr
  wanadoo.fr free.fr sfr.fr neuf.fr laposte.net bbox.fr numericable.fr club-internet.fr voila.fr aliceadsl.fr libero.it
  virgilio.it alice.it tin.it tim.it iol.it inwind.it poste.it email.it telenet.be skynet.be proximus.be scarlet.be
  ziggo.nl kpnmail.nl home.nl planet.nl hetnet.nl xs4all.nl upcmail.nl telia.com spray.se bredband.net online.no
  broadpark.no jubii.dk mail.dk terra.es telefonica.net terra.com sapo.pt clix.pt btinternet.com btopenworld.com
  btconnect.com talktalk.net virginmedia.com virgin.net ntlworld.com blueyonder.co.uk sky.com plusnet.com o2.co.uk
  freeserve.co.uk eircom.net comcast.net verizon.net att.net sbcglobal.net bellsouth.net pacbell.net swbell.net cox.net
  charter.net roadrunner.com rr.com earthlink.net mindspring.com juno.com netzero.net netzero.com optonline.net
  optimum.net frontier.com frontiernet.net windstream.net centurylink.net q.com suddenlink.net wowway.com rcn.com
  rogers.com shaw.ca sympatico.ca bell.net telus.net videotron.ca cogeco.ca bigpond.com bigpond.net.au optusnet.com.au
  iinet.net.au tpg.com.au westnet.com.au ozemail.com.au xtra.co.nz slingshot.co.nz uol.com.br bol.com.br terra.com.br
  ig.com.br globo.com globomail.com r7.com oi.com.br hispavista.com rediffmail.com rediff.com indiatimes.com sify.com
  in.com qq.com vip.qq.com foxmail.com 163.com vip.163.com 126.com yeah.net 139.com 189.cn sina.com sina.cn sohu.com
  tom.com 21cn.com aliyun.com naver.com daum.net hanmail.net nate.com kakao.com docomo.ne.jp ezweb.ne.jp au.com
  softbank.ne.jp i.softbank.jp nifty.com biglobe.ne.jp so-net.ne.jp walla.co.il walla.com mynet.com mail2world.com
  mailinator.com guerrillamail.com guerrillamail.net sharklasers.com 10minutemail.com temp-mail.org tempmail.com
  yopmail.com yopmail.fr trashmail.com dispostable.com getnada.com maildrop.cc mailnesia.com moakt.com emailondeck.com
  throwawaymail.com duck.com simplelogin.com simplelogin.co anonaddy.com addy.io mozmail.com passmail.net pobox.com
  bigfoot.com lavabit.com cock.li opayq.com gmx.net users.noreply.github.com
  `
    .trim()
    .split(/\s+/),
);

/** Whether a domain, or one above it, gives addresses to anyone. */
export function isPublicMailDomain(domain: string): boolean {
  const labels = domain.split(".");
  return labels
    .slice(0, -1)
    .map((_, at) => labels.slice(at).join("."))
    .some((one) => names.has(one) || families.test(one));
}

const reserved = new Set(["localhost", "invalid", "onion", "arpa", "alt"]);

/** Whether a name is outside of what name servers delegate. Internal zones such as `.internal` are allowed. */
export function isReservedName(domain: string): boolean {
  return reserved.has(domain.slice(domain.lastIndexOf(".") + 1));
}
