//! Trusts the certificates of a file as Node does: also a server's own certificate that is marked as an authority, as
//! `openssl req -x509` makes it. webpki refuses such a certificate even if it is trusted.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_name, WebPkiServerVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct FileTrust {
    inner: Arc<WebPkiServerVerifier>,
    trusted: Vec<CertificateDer<'static>>,
}

impl FileTrust {
    /// Trusts the given certificates besides the authorities of the system.
    pub fn new(mut roots: RootCertStore, trusted: Vec<CertificateDer<'static>>) -> Result<FileTrust, String> {
        roots.add_parsable_certificates(trusted.iter().cloned());
        let inner = WebPkiServerVerifier::builder(Arc::new(roots)).build().map_err(|error| error.to_string())?;
        Ok(FileTrust { inner, trusted })
    }
}

impl ServerCertVerifier for FileTrust {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.inner.verify_server_cert(certificate, intermediates, server_name, ocsp_response, now) {
            Err(error) if is_authority(&error) && self.trusted.contains(certificate) => {
                // webpki has checked its dates before.
                verify_server_name(&ParsedCertificate::try_from(certificate)?, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            result => result,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}

/// The certificate of the server is one of an authority. rustls does not export the type of this error.
pub(crate) fn is_authority(error: &Error) -> bool {
    match error {
        Error::InvalidCertificate(CertificateError::Other(reason)) => reason.to_string() == "CaUsedAsEndEntity",
        _ => false,
    }
}
