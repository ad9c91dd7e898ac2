//! How to connect: time-out, proxy, certificates. Requests with equal options share a client and its connections.

use crate::failure::{chain, Failure};
use crate::trust::FileTrust;
use reqwest::header::HeaderValue;
use rustls::pki_types::{pem, pem::PemObject, CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use serde::Deserialize;
use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// `ConnectionOptions` in src/embed/host.ts.
#[derive(Clone, Default, Deserialize, PartialEq, Eq, Hash)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ConnectionOptions {
    connect_timeout: Option<u64>,
    proxy: Option<Proxy>,
    local_address: Option<String>,
    keep_alive: Option<u64>,
    ca_file: Option<String>,
    client_cert_file: Option<String>,
    client_key_file: Option<String>,
}

#[derive(Clone, Deserialize, PartialEq, Eq, Hash)]
struct Proxy {
    origin: String,
    authorization: Option<String>,
}

/// The defaults of `src/transport/undici.ts`, in milliseconds.
const CONNECT_TIMEOUT: u64 = 10_000;
const KEEP_ALIVE: u64 = 30_000;
const KEEP_ALIVE_MARGIN: Duration = Duration::from_secs(1);
/// Node limits only the size of the headers, see `http.rs`.
const MOST_HEADERS: usize = 4096;

#[derive(Default)]
pub(crate) struct Clients(Mutex<HashMap<ConnectionOptions, Pool>>);

struct Pool {
    client: reqwest::Client,
    /// An idle connection is not used again after this time.
    idle: Duration,
}

impl Clients {
    /// Reads certificates when it sees options for the first time.
    pub fn get(&self, options: &ConnectionOptions) -> Result<reqwest::Client, Failure> {
        let mut pools = self.pools();
        if let Some(pool) = pools.get(options) {
            return Ok(pool.client.clone());
        }
        let idle = Duration::from_millis(options.keep_alive.unwrap_or(KEEP_ALIVE));
        let client = create_client(options, idle)?;
        pools.insert(options.clone(), Pool { client: client.clone(), idle });
        Ok(client)
    }

    /// A server that closes idle connections may announce after how many seconds. A request that arrives when it closes
    /// one would fail, so from now on connections are used only until shortly before, as in `src/transport/undici.ts`.
    pub fn limit_idle(&self, options: &ConnectionOptions, announced: Duration) -> Result<(), Failure> {
        let idle = announced.saturating_sub(KEEP_ALIVE_MARGIN);
        let mut pools = self.pools();
        if pools.get(options).is_some_and(|pool| idle < pool.idle) {
            let client = create_client(options, idle)?;
            pools.insert(options.clone(), Pool { client, idle });
        }
        Ok(())
    }

    fn pools(&self) -> MutexGuard<'_, HashMap<ConnectionOptions, Pool>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn create_client(options: &ConnectionOptions, idle: Duration) -> Result<reqwest::Client, Failure> {
    let mut builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls_config(options)?)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        // The environment's proxies come through the options.
        .no_proxy()
        .http1_max_headers(MOST_HEADERS)
        .pool_idle_timeout(idle);
    match options.connect_timeout.unwrap_or(CONNECT_TIMEOUT) {
        0 => {}
        limit => builder = builder.connect_timeout(Duration::from_millis(limit)),
    }
    if let Some(proxy) = &options.proxy {
        builder = builder.proxy(to_proxy(proxy)?);
    }
    if let Some(address) = &options.local_address {
        builder = builder.local_address(parse_address(address)?);
    }
    builder.build().map_err(|error| Failure::of_setting(None, chain(&error)))
}

fn parse_address(text: &str) -> Result<IpAddr, Failure> {
    let wrong = |_| Failure::of_setting(Some("localAddress"), format!("network.localAddress: {text} is no IP address"));
    text.parse().map_err(wrong)
}

/// No message contains the address of a proxy, because it may contain a password.
fn to_proxy(Proxy { origin, authorization }: &Proxy) -> Result<reqwest::Proxy, Failure> {
    let wrong = || Failure::of_setting(Some("proxy"), "the proxy must be a URL like http://host:port");
    let proxy = reqwest::Proxy::all(origin).map_err(|_| wrong())?;
    let Some(authorization) = authorization else { return Ok(proxy) };
    Ok(proxy.custom_http_auth(HeaderValue::from_str(authorization).map_err(|_| wrong())?))
}

fn tls_config(options: &ConnectionOptions) -> Result<ClientConfig, Failure> {
    let builder = match &options.ca_file {
        None => ClientConfig::builder().with_root_certificates(system_roots().clone()),
        Some(path) => {
            let trusted = read_certificates(path, &CA_FILE)?;
            let trust = FileTrust::new(system_roots().clone(), trusted).map_err(|error| CA_FILE.failure(&error))?;
            ClientConfig::builder().dangerous().with_custom_certificate_verifier(Arc::new(trust))
        }
    };
    match (&options.client_cert_file, &options.client_key_file) {
        (Some(certificate), Some(key)) => {
            let chain = read_certificates(certificate, &CLIENT_CERT_FILE)?;
            let private = PrivateKeyDer::from_pem_file(key).map_err(|error| CLIENT_KEY_FILE.unreadable(key, &error))?;
            builder.with_client_auth_cert(chain, private).map_err(|error| {
                let message = format!("the certificates cannot be used ({error}); check {certificate}, {key}");
                Failure::of_setting(None, message)
            })
        }
        (None, None) => Ok(builder.with_no_client_auth()),
        (Some(_), None) => Err(incomplete("clientCertFile", "clientKeyFile")),
        (None, Some(_)) => Err(incomplete("clientKeyFile", "clientCertFile")),
    }
}

fn incomplete(given: &str, missing: &'static str) -> Failure {
    Failure::of_setting(Some(missing), format!("network.{given} is set without {missing}; set both"))
}

/// The certificate authorities that the system trusts. Reading them takes milliseconds.
fn system_roots() -> &'static RootCertStore {
    static ROOTS: OnceLock<RootCertStore> = OnceLock::new();
    ROOTS.get_or_init(|| {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        roots
    })
}

/// A setting that names a PEM file, in code and in the configuration file.
struct FileSetting {
    field: &'static str,
    key: &'static str,
    content: &'static str,
}

const CA_FILE: FileSetting = FileSetting { field: "caFile", key: "ca_file", content: "certificate" };
const CLIENT_CERT_FILE: FileSetting =
    FileSetting { field: "clientCertFile", key: "client_cert_file", content: "certificate" };
const CLIENT_KEY_FILE: FileSetting =
    FileSetting { field: "clientKeyFile", key: "client_key_file", content: "private key" };

impl FileSetting {
    fn unreadable(&self, path: &str, error: &pem::Error) -> Failure {
        match error {
            pem::Error::Io(error) => self.failure(&format!("{path} cannot be read ({})", file_code(error))),
            _ => self.without_content(path),
        }
    }

    fn without_content(&self, path: &str) -> Failure {
        self.failure(&format!("{path} contains no {} in PEM format", self.content))
    }

    fn failure(&self, problem: &str) -> Failure {
        let FileSetting { field, key, .. } = self;
        let message = format!("network.{field}, in the configuration file {key} under [network]: {problem}");
        Failure::of_setting(Some(field), message)
    }
}

fn read_certificates(path: &str, setting: &FileSetting) -> Result<Vec<CertificateDer<'static>>, Failure> {
    let certificates: Vec<_> = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|error| setting.unreadable(path, &error))?;
    if certificates.is_empty() {
        return Err(setting.without_content(path));
    }
    Ok(certificates)
}

/// As Node names it.
fn file_code(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "ENOENT".into(),
        io::ErrorKind::PermissionDenied => "EACCES".into(),
        io::ErrorKind::IsADirectory => "EISDIR".into(),
        _ => error.to_string(),
    }
}
