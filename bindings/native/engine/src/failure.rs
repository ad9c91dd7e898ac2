//! Failures of a request, with the codes of Node, which `src/transport/connection-error.ts` knows.

use crate::trust::is_authority;
use serde::Serialize;
use std::error::Error;
use std::io;

#[derive(Debug, Serialize)]
pub(crate) struct Failure {
    code: String,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'static str>,
}

impl Failure {
    pub fn new(code: &str, message: impl Into<String>) -> Failure {
        Failure { code: code.into(), message: message.into(), field: None }
    }

    /// Of a setting of the program.
    pub fn of_setting(field: Option<&'static str>, message: impl Into<String>) -> Failure {
        Failure { code: "ERR_CONFIGURATION".into(), message: message.into(), field }
    }

    pub fn of_request(message: impl ToString) -> Failure {
        Failure::new("ERR_INVALID_REQUEST", message.to_string())
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl From<&reqwest::Error> for Failure {
    fn from(error: &reqwest::Error) -> Failure {
        let message = chain(error);
        if error.is_timeout() && error.is_connect() {
            return Failure::new("UND_ERR_CONNECT_TIMEOUT", message);
        }
        if error.is_decode()
            && find::<io::Error>(error).is_none_or(|inner| inner.kind() != io::ErrorKind::UnexpectedEof)
        {
            return Failure::new("Z_DATA_ERROR", message);
        }
        if let Some(code) = find_tls_error(error).map(tls_code) {
            return Failure::new(code, message);
        }
        if let Some(failure) = known_text(&message) {
            return failure;
        }
        match find::<io::Error>(error) {
            Some(inner) if inner.kind() == io::ErrorKind::UnexpectedEof => closed(),
            Some(inner) => Failure::new(io_code(inner), message),
            None => Failure::new("ECONNRESET", message),
        }
    }
}

/// What undici says when the server closes the connection before the response is complete.
fn closed() -> Failure {
    Failure::new("UND_ERR_SOCKET", "other side closed")
}

/// Errors whose types their libraries keep to themselves.
fn known_text(message: &str) -> Option<Failure> {
    let has = |text: &str| message.contains(text);
    if has("dns error") {
        let code = if has("emporary failure") { "EAI_AGAIN" } else { "ENOTFOUND" };
        return Some(Failure::new(code, message));
    }
    if has("proxy authorization required") {
        return Some(Failure::new("UND_ERR_ABORTED", "the proxy replied with status 407"));
    }
    if has("tunnel error: unsuccessful") || has("tunnel error: unexpected end") {
        return Some(Failure::new("UND_ERR_ABORTED", "the proxy opened no tunnel"));
    }
    if has("connection closed before message completed") {
        return Some(closed());
    }
    if has("message head is too large") {
        return Some(Failure::new("UND_ERR_HEADERS_OVERFLOW", "Headers Overflow Error"));
    }
    (has("invalid HTTP") || has("parse")).then(|| Failure::new("HPE_INVALID_CONSTANT", message))
}

fn tls_code(error: &rustls::Error) -> &'static str {
    use rustls::{AlertDescription, CertificateError, Error};
    match error {
        Error::InvalidCertificate(CertificateError::UnknownIssuer) => "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
        Error::InvalidCertificate(CertificateError::Expired | CertificateError::ExpiredContext { .. }) => {
            "CERT_HAS_EXPIRED"
        }
        Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => "ERR_TLS_CERT_ALTNAME_INVALID",
        _ if is_authority(error) => "DEPTH_ZERO_SELF_SIGNED_CERT",
        Error::InvalidCertificate(_) => "CERT_INVALID",
        Error::AlertReceived(AlertDescription::CertificateRequired) => "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
        _ => "EPROTO",
    }
}

fn io_code(error: &io::Error) -> &'static str {
    use io::ErrorKind::*;
    match error.kind() {
        ConnectionRefused => "ECONNREFUSED",
        ConnectionReset => "ECONNRESET",
        ConnectionAborted => "ECONNABORTED",
        BrokenPipe => "EPIPE",
        HostUnreachable => "EHOSTUNREACH",
        NetworkUnreachable => "ENETUNREACH",
        AddrNotAvailable => "EADDRNOTAVAIL",
        TimedOut => "ETIMEDOUT",
        OutOfMemory => "ENOMEM",
        _ => match error.raw_os_error() {
            Some(24) => "EMFILE",
            Some(23) => "ENFILE",
            _ => "ECONNRESET",
        },
    }
}

/// rustls wraps its errors in those of the connection, several times, which do not name them as their source.
fn find_tls_error(error: &reqwest::Error) -> Option<&rustls::Error> {
    causes(error).find_map(unwrap_tls_error)
}

fn unwrap_tls_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    error.downcast_ref().or_else(|| unwrap_tls_error(error.downcast_ref::<io::Error>()?.get_ref()?))
}

/// The innermost error of a type is the most exact one.
fn find<T: Error + 'static>(error: &reqwest::Error) -> Option<&T> {
    causes(error).filter_map(|cause| cause.downcast_ref()).last()
}

/// The message of an error with those of its causes.
pub(crate) fn chain(error: &reqwest::Error) -> String {
    let texts: Vec<String> = causes(error).map(ToString::to_string).collect();
    texts.join(": ")
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let first: &(dyn Error + 'static) = error;
    std::iter::successors(Some(first), |current: &&(dyn Error + 'static)| (*current).source())
}
