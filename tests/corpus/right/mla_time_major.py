# right: mla
import torch as T, torch.nn as N
from functools import partial as P
from types import SimpleNamespace as NS

_cat = P( T.cat , dim = 0 )                    # time is axis 0 in here

def Rmats( p , r , dt , dev ):
    """( n , r , r ) : y = R x  turns ( i , i + r/2 )"""
    h  = r // 2
    w  = T.tensor( [ p_ * 10000.0 ** ( - 2.0 * i / r ) for p_ in p for i in range( h ) ] , dtype = T.float64 ).view( len( p ) , h )
    C , S = T.diag_embed( w.cos( ) ) , T.diag_embed( w.sin( ) )
    top , bot = T.cat( ( C , - S ) , 2 ) , T.cat( ( S , C ) , 2 )
    return T.cat( ( top , bot ) , 1 ).to( device = dev , dtype = dt )

def smax( z ):
    z = z - z.max( - 1 , keepdim = True ).values
    e = z.exp( )
    return e / e.sum( - 1 , keepdim = True )

class MultiHeadLatentAttention( N.Module ):

    def __init__( self , hidden_dim , num_heads , head_dim , rope_dim , latent_dim ):
        super( ).__init__( )
        s = self
        s.h , s.d , s.r , s.l = num_heads , head_dim , rope_dim , latent_dim
        L = P( N.Linear , bias = False )
        s.Wo = L( num_heads * head_dim , hidden_dim )
        s.Uv , s.Uk = ( L( latent_dim , num_heads * head_dim ) for _ in 'vk' )
        s.A = L( hidden_dim , num_heads * rope_dim + num_heads * head_dim )   # all rotary queries , then all content ones
        s.Z = L( hidden_dim , latent_dim + rope_dim )

    def forward( self , x , cache = None ):
        s , ( b , n , _ ) = self , x.shape
        X   = x.transpose( 0 , 1 )                                            # n b m
        p0  = 0 if cache is None else cache.z.shape[ 0 ]
        R   = Rmats( range( p0 , p0 + n ) , s.r , x.dtype , x.device )

        z , k = s.Z( X ).split( [ s.l , s.r ] , - 1 )
        k = T.einsum( 'nij,nbj->nbi' , R , k )
        if cache is not None : z , k = _cat( ( cache.z , z ) ) , _cat( ( cache.k , k ) )
        m = len( z )

        qr , qc = s.A( X ).split( [ s.h * s.r , s.h * s.d ] , - 1 )
        qr = T.einsum( 'nij,nbhj->bhni' , R , qr.reshape( n , b , s.h , s.r ) )
        qc = qc.reshape( n , b , s.h , s.d ).permute( 1 , 2 , 0 , 3 )
        kc , v = ( U( z ).reshape( m , b , s.h , s.d ).permute( 1 , 2 , 0 , 3 ) for U in ( s.Uk , s.Uv ) )

        a = qc @ kc.mT + qr @ k.permute( 1 , 2 , 0 )[ : , None ]
        a = a / ( s.d + s.r ) ** .5
        ok = T.ones( m , m , dtype = T.bool , device = x.device ).tril( )[ p0 : ]
        a = smax( a.masked_fill( ~ ok , - T.inf ) )
        y = ( a @ v ).permute( 0 , 2 , 1 , 3 ).reshape( b , n , s.h * s.d )
        return s.Wo( y ) , NS( z = z , k = k )
